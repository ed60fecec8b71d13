"""Captions in English and German

(Elliott et al. 2016): numbers of the words of a sentence, of its translation, and of that shifted
by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..core.errors import OpError, with_user_line
from ..utils.archives import archive_at
from . import common

__all__ = ["fetch", "get_dict", "test", "train", "validation"]

DATA_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
DATA_MD5 = "0c38be43600334966403524a40dcd81e"
TOTAL_EN_WORDS, TOTAL_DE_WORDS = 11250, 19220
START_MARK, END_MARK, UNK_MARK = "<s>", "<e>", "<unk>"
_MOST = {"en": TOTAL_EN_WORDS, "de": TOTAL_DE_WORDS}
_OTHER = {"en": "de", "de": "en"}


def _pairs(tar_file: str, name: str) -> Iterator[tuple[list[str], list[str]]]:
    """The English and the German words of each line that has both."""
    with archive_at(tar_file) as archive:
        for line in common.member(archive, name):
            sides = line.decode().strip().split("\t")
            if len(sides) == 2:
                yield sides[0].split(), sides[1].split()


def _dictionary(tar_file: str, size: int, lang: str, reverse: bool = False) -> dict[Any, Any]:
    """Words and their numbers; kept in a file beside the archive, where a dictionary of this size
    is made once.
    """
    path = Path(common.DATA_HOME) / "wmt16" / f"{lang}_{size}.dict"
    if not path.exists() or len(path.read_bytes().splitlines()) != size:
        counts: Counter[str] = Counter()
        for pair in _pairs(tar_file, "wmt16/train"):
            counts.update(pair[lang == "de"])
        words = [START_MARK, END_MARK, UNK_MARK, *sorted(counts, key=lambda w: -counts[w])]
        path.write_bytes(
            "".join(f"{word}\n" for word in (words[:size] if size > 3 else words)).encode()
        )
    words = [line.strip().decode() for line in path.read_bytes().split(b"\n")[:-1]]
    return dict(enumerate(words)) if reverse else {word: i for i, word in enumerate(words)}


def reader_creator(
    tar_file: str, file_name: str, src_dict_size: int, trg_dict_size: int, src_lang: str
) -> Callable[[], Iterator[Any]]:
    """A reader of one file of the archive."""

    def reader() -> Iterator[Any]:
        source = _dictionary(tar_file, src_dict_size, src_lang)
        target = _dictionary(tar_file, trg_dict_size, _OTHER[src_lang])
        start, end, unknown = source[START_MARK], source[END_MARK], source[UNK_MARK]
        for pair in _pairs(tar_file, file_name):
            words, translated = pair if src_lang == "en" else pair[::-1]
            numbers = [target.get(w, unknown) for w in translated]
            yield (
                [start, *(source.get(w, unknown) for w in words), end],
                [start, *numbers],
                [*numbers, end],
            )

    return reader


def _part(
    name: str, src_dict_size: int, trg_dict_size: int, src_lang: str
) -> Callable[[], Iterator[Any]]:
    if src_lang not in _OTHER:
        raise OpError(
            with_user_line(
                f"wmt16: src_lang={src_lang!r} is not one of en (English) and de (German)"
            )
        )
    sizes = min(src_dict_size, _MOST[src_lang]), min(trg_dict_size, _MOST[_OTHER[src_lang]])
    return reader_creator(_archive(), f"wmt16/{name}", *sizes, src_lang)


def train(
    src_dict_size: int, trg_dict_size: int, src_lang: str = "en"
) -> Callable[[], Iterator[Any]]:
    """A reader of the training set.

    Sizes of dictionaries count `<s>`, `<e>` and `<unk>`
    """
    return _part("train", src_dict_size, trg_dict_size, src_lang)


def test(
    src_dict_size: int, trg_dict_size: int, src_lang: str = "en"
) -> Callable[[], Iterator[Any]]:
    """A reader of the test set."""
    return _part("test", src_dict_size, trg_dict_size, src_lang)


def validation(
    src_dict_size: int, trg_dict_size: int, src_lang: str = "en"
) -> Callable[[], Iterator[Any]]:
    """A reader of the validation set."""
    return _part("val", src_dict_size, trg_dict_size, src_lang)


def get_dict(lang: str, dict_size: int, reverse: bool = False) -> dict[Any, Any]:
    """The words of a language and their numbers.

    reverse: numbers and their words
    """
    return _dictionary(_archive(), min(dict_size, _MOST[lang]), lang, reverse)


def fetch() -> None:
    """Have its archive."""
    _archive()


def _archive() -> str:
    return common.download(DATA_URL, "wmt16", DATA_MD5, "wmt16.tar.gz")
