"""Sentences in English and French, a small part of WMT14: word indices, as in wmt16."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from typing import Any

from ..core.errors import FileError
from ..utils.tar_archives import open_tar_archive
from . import common

__all__ = ["get_dict", "test", "train"]

URL_TRAIN = "http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
MD5_TRAIN = "0791583d57d5beb693b9414c5b36798c"
START, END, UNK, UNK_IDX = "<s>", "<e>", "<unk>", 2
_MAX_LENGTH = 80


def _member_names_ending_with(archive: tarfile.TarFile, ending: str) -> list[str]:
    return [part.name for part in archive if part.name.endswith(ending)]


def _read_dictionaries(tar_file: str, dict_size: int) -> tuple[dict[str, int], dict[str, int]]:
    dictionaries = []
    with open_tar_archive(tar_file) as archive:
        for ending in ("src.dict", "trg.dict"):
            names = _member_names_ending_with(archive, ending)
            if len(names) != 1:
                raise FileError(f"{tar_file}: has {len(names)} files {ending}")
            lines = common.open_member(archive, names[0]).read().decode().splitlines()[:dict_size]
            dictionaries.append({line.strip(): i for i, line in enumerate(lines)})
    return dictionaries[0], dictionaries[1]


def reader_creator(tar_file: str, file_name: str, dict_size: int) -> Callable[[], Iterator[Any]]:
    """Return a reader of those files in the archive whose names have the given ending. Pairs with a
    sentence of more than 80 words are skipped.
    """

    def reader() -> Iterator[Any]:
        source, target = _read_dictionaries(tar_file, dict_size)
        with open_tar_archive(tar_file) as archive:
            for name in _member_names_ending_with(archive, file_name):
                for line in common.open_member(archive, name):
                    columns = line.decode().strip().split("\t")
                    if len(columns) != 2:
                        continue
                    source_indices = [
                        source.get(w, UNK_IDX) for w in [START, *columns[0].split(), END]
                    ]
                    indices = [target.get(w, UNK_IDX) for w in columns[1].split()]
                    if max(len(source_indices), len(indices)) <= _MAX_LENGTH:
                        yield source_indices, [target[START], *indices], [*indices, target[END]]

    return reader


def _download_archive() -> str:
    return common.download(URL_TRAIN, "wmt14", MD5_TRAIN)


def train(dict_size: int) -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set."""
    return reader_creator(_download_archive(), "train/train", dict_size)


def test(dict_size: int) -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set."""
    return reader_creator(_download_archive(), "test/test", dict_size)


def gen(dict_size: int) -> Callable[[], Iterator[Any]]:
    """Return a reader of the generation set."""
    return reader_creator(_download_archive(), "gen/gen", dict_size)


def get_dict(dict_size: int, reverse: bool = True) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return two dicts, of the source and the target language, from words to indices, or from
    indices to words if `reverse` is True.
    """
    dictionaries = _read_dictionaries(_download_archive(), dict_size)
    if reverse:
        return {v: k for k, v in dictionaries[0].items()}, {
            v: k for k, v in dictionaries[1].items()
        }
    return dictionaries


def fetch() -> None:
    """Download the archive."""
    _download_archive()
