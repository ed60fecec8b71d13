"""Image captions in English and German (Elliott et al. 2016): word indices of a sentence, of its
translation, and of the translation shifted by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..core.errors import OpError, append_user_line
from ..utils.tar_archives import open_tar_archive
from . import common

__all__ = ["fetch", "get_dict", "test", "train", "validation"]

DATA_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
DATA_MD5 = "0c38be43600334966403524a40dcd81e"
TOTAL_EN_WORDS, TOTAL_DE_WORDS = 11250, 19220
START_MARK, END_MARK, UNK_MARK = "<s>", "<e>", "<unk>"
_MAX_WORDS = {"en": TOTAL_EN_WORDS, "de": TOTAL_DE_WORDS}
_OTHER_LANGUAGE = {"en": "de", "de": "en"}


def _iter_sentence_pairs(tar_file: str, name: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of the English and of the German sentence of each line that has both."""
    with open_tar_archive(tar_file) as archive:
        for line in common.open_member(archive, name):
            columns = line.decode().strip().split("\t")
            if len(columns) == 2:
                yield columns[0].split(), columns[1].split()


def _read_or_build_dictionary(
    tar_file: str, size: int, lang: str, reverse: bool = False
) -> dict[Any, Any]:
    """Return the dict of a language from words to indices, or from indices to words if `reverse` is
    True. The list of words is cached in a file beside the archive.
    """
    path = Path(common.DATA_HOME) / "wmt16" / f"{lang}_{size}.dict"
    if not path.exists() or len(path.read_bytes().splitlines()) != size:
        counts: Counter[str] = Counter()
        for pair in _iter_sentence_pairs(tar_file, "wmt16/train"):
            counts.update(pair[lang == "de"])
        words = [START_MARK, END_MARK, UNK_MARK, *sorted(counts, key=lambda w: -counts[w])]
        path.write_bytes(
            "".join(f"{word}\n" for word in (words[:size] if size >= 3 else words)).encode()
        )
    words = [line.strip().decode() for line in path.read_bytes().split(b"\n")[:-1]]
    return dict(enumerate(words)) if reverse else {word: i for i, word in enumerate(words)}


def reader_creator(
    tar_file: str, file_name: str, src_dict_size: int, trg_dict_size: int, src_lang: str
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the samples in one file of the archive."""

    def reader() -> Iterator[Any]:
        source = _read_or_build_dictionary(tar_file, src_dict_size, src_lang)
        target = _read_or_build_dictionary(tar_file, trg_dict_size, _OTHER_LANGUAGE[src_lang])
        start, end, unknown = source[START_MARK], source[END_MARK], source[UNK_MARK]
        for pair in _iter_sentence_pairs(tar_file, file_name):
            words, translated = pair if src_lang == "en" else pair[::-1]
            indices = [target.get(w, unknown) for w in translated]
            yield (
                [start, *(source.get(w, unknown) for w in words), end],
                [start, *indices],
                [*indices, end],
            )

    return reader


def _make_split_reader(
    name: str, src_dict_size: int, trg_dict_size: int, src_lang: str
) -> Callable[[], Iterator[Any]]:
    if src_lang not in _OTHER_LANGUAGE:
        raise OpError(
            append_user_line(
                f"wmt16: src_lang={src_lang!r} is not one of en (English) and de (German)"
            )
        )
    sizes = (
        min(src_dict_size, _MAX_WORDS[src_lang]),
        min(trg_dict_size, _MAX_WORDS[_OTHER_LANGUAGE[src_lang]]),
    )
    return reader_creator(_download_archive(), f"wmt16/{name}", *sizes, src_lang)


def train(
    src_dict_size: int, trg_dict_size: int, src_lang: str = "en"
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set.

    The sizes of the dictionaries include `<s>`, `<e>` and `<unk>`.
    """
    return _make_split_reader("train", src_dict_size, trg_dict_size, src_lang)


def test(
    src_dict_size: int, trg_dict_size: int, src_lang: str = "en"
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set."""
    return _make_split_reader("test", src_dict_size, trg_dict_size, src_lang)


def validation(
    src_dict_size: int, trg_dict_size: int, src_lang: str = "en"
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the validation set."""
    return _make_split_reader("val", src_dict_size, trg_dict_size, src_lang)


def get_dict(lang: str, dict_size: int, reverse: bool = False) -> dict[Any, Any]:
    """Return the dict of a language from words to indices.

    reverse: words by index
    """
    return _read_or_build_dictionary(
        _download_archive(), min(dict_size, _MAX_WORDS[lang]), lang, reverse
    )


def fetch() -> None:
    """Download the archive."""
    _download_archive()


def _download_archive() -> str:
    return common.download(DATA_URL, "wmt16", DATA_MD5, "wmt16.tar.gz")
