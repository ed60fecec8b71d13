"""Semantic role labels of the CoNLL 2005 test set (Carreras and Marquez 2005), verb by verb."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..core.errors import FileError
from ..utils.tar_archives import open_tar_archive
from . import common

__all__ = ["get_dict", "get_embedding", "test"]

_BASE_URL = "http://paddlemodels.bj.bcebos.com/conll05st"
DATA_URL, DATA_MD5 = f"{_BASE_URL}/conll05st-tests.tar.gz", "387719152ae52d60422c016e92a742fc"
WORDDICT_URL, WORDDICT_MD5 = f"{_BASE_URL}%2FwordDict.txt", "ea7fb7d4c75cc6254716f0177a506baa"
VERBDICT_URL, VERBDICT_MD5 = f"{_BASE_URL}%2FverbDict.txt", "0d2977293bbb6cbefab5b0f97db1e77c"
TRGDICT_URL, TRGDICT_MD5 = f"{_BASE_URL}%2FtargetDict.txt", "d8c7f03ceb5fc2e5a0fa7503a4353751"
EMB_URL, EMB_MD5 = f"{_BASE_URL}%2Femb", "bf436eb0faa1f6f9103017f8be57cdb7"
UNK_IDX = 0

Sentence = tuple[list[str], str, list[str]]  # words, the verb, and a tag for each word


def _read_stripped_lines(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file]


def load_dict(filename: str) -> dict[str, int]:
    """Return a dict from the content of each line of a file to its line number."""
    return {line: i for i, line in enumerate(_read_stripped_lines(filename))}


def load_label_dict(filename: str) -> dict[str, int]:
    """Return a dict from tags to indices: `B-` and `I-` of each tag in the order of the file (in
    Paddle the order changes in each process), and `O` as the last.
    """
    tags = dict.fromkeys(
        line[2:] for line in _read_stripped_lines(filename) if line.startswith(("B-", "I-"))
    )
    labels = [f"{kind}-{tag}" for tag in tags for kind in "BI"]
    return {label: i for i, label in enumerate([*labels, "O"])}


def _iter_sentences(
    words: Iterable[bytes], props: Iterable[bytes]
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Iterate over the words and the property columns of each sentence."""
    rows: list[tuple[str, list[str]]] = []
    for word, prop in zip(words, props, strict=False):
        columns = prop.decode().split()
        if columns:
            rows.append((word.decode().strip(), columns))
        elif rows:
            yield (
                [w for w, _ in rows],
                [list(column) for column in zip(*(c for _, c in rows), strict=True)],
            )
            rows = []


def _to_bio_tags(column: list[str], path: str) -> list[str]:
    """Convert property columns to tags, for example `(A0*`, `*`, `*)` to `B-A0`, `I-A0`, `I-A0`.

    Raises FileError for other properties.
    """
    tags, tag, is_inside = [], "O", False
    for text in column:
        if "(" in text:
            tag, is_inside = text[1 : text.find("*")], ")" not in text
            tags.append(f"B-{tag}")
        elif text in ("*", "*)"):
            tags.append(f"I-{tag}" if is_inside or text == "*)" else "O")
            is_inside = is_inside and text == "*"
        else:
            raise FileError(f"{path}: {text!r} is not a property of a word")
    return tags


def corpus_reader(
    data_path: str, words_name: str, props_name: str
) -> Callable[[], Iterator[Sentence]]:
    """Return a reader of (words, verb, tags) for each verb of each sentence in an archive."""

    def reader() -> Iterator[Sentence]:
        with (
            open_tar_archive(data_path) as archive,
            gzip.GzipFile(fileobj=common.open_member(archive, words_name)) as words,
            gzip.GzipFile(fileobj=common.open_member(archive, props_name)) as props,
        ):
            for sentence, columns in _iter_sentences(words, props):
                verbs = [verb for verb in columns[0] if verb != "-"]
                for verb, column in zip(verbs, columns[1:], strict=False):
                    yield sentence, verb, _to_bio_tags(column, data_path)

    return reader


def _sentence_to_sample(
    sentence: Sentence, words: dict[str, int], verbs: dict[str, int], labels: dict[str, int]
) -> tuple[Any, ...]:
    """Return the features of one verb of a sentence. Each feature is a list with one element per
    word of the sentence: the words, the five words around the verb, the verb, marks of these five,
    and the tags.
    """
    text, verb, tags = sentence
    length, verb_position = len(text), tags.index("B-V")
    window = range(verb_position - 2, verb_position + 3)
    context = [text[i] if 0 <= i < length else "bos" if i < 0 else "eos" for i in window]
    numbers = [[words.get(word, UNK_IDX)] * length for word in context]
    mark = [int(i in window) for i in range(length)]
    return (
        [words.get(w, UNK_IDX) for w in text],
        *numbers,
        [verbs.get(verb)] * length,
        mark,
        [labels.get(t) for t in tags],
    )


def reader_creator(
    corpus_reader: Callable[[], Iterator[Sentence]],
    word_dict: Any = None,
    predicate_dict: Any = None,
    label_dict: Any = None,
) -> Callable[[], Iterator[Any]]:
    """Return a reader that converts the words, verbs and tags of `corpus_reader` to indices."""

    def reader() -> Iterator[Any]:
        for sentence in corpus_reader():
            yield _sentence_to_sample(sentence, word_dict, predicate_dict, label_dict)

    return reader


def get_dict() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Return the dicts from words, verbs and tags to indices."""
    return (
        load_dict(common.download(WORDDICT_URL, "conll05st", WORDDICT_MD5)),
        load_dict(common.download(VERBDICT_URL, "conll05st", VERBDICT_MD5)),
        load_label_dict(common.download(TRGDICT_URL, "conll05st", TRGDICT_MD5)),
    )


def get_embedding() -> str:
    """Return the path of pretrained word vectors."""
    return common.download(EMB_URL, "conll05st", EMB_MD5)


def test() -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set, the only part of the CoNLL 2005 data that is free."""
    data = common.download(DATA_URL, "conll05st", DATA_MD5)
    folder = "conll05st-release/test.wsj"
    reader = corpus_reader(
        data, f"{folder}/words/test.wsj.words.gz", f"{folder}/props/test.wsj.props.gz"
    )
    return reader_creator(reader, *get_dict())


def fetch() -> None:
    """Download all files."""
    for url, md5 in (
        (WORDDICT_URL, WORDDICT_MD5),
        (VERBDICT_URL, VERBDICT_MD5),
        (TRGDICT_URL, TRGDICT_MD5),
        (EMB_URL, EMB_MD5),
        (DATA_URL, DATA_MD5),
    ):
        common.download(url, "conll05st", md5)
