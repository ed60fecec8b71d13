"""MovieLens 1M (Harper and Konstan 2015): user (id, gender, age, job), movie (id, categories,
title), [rating].
"""

from __future__ import annotations

import functools
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import common

__all__ = [
    "age_table",
    "get_movie_title_dict",
    "max_job_id",
    "max_movie_id",
    "max_user_id",
    "movie_categories",
    "movie_info",
    "test",
    "train",
    "user_info",
]

age_table = [1, 18, 25, 35, 45, 50, 56]
URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
MD5 = "c4d9eecfca2ab87c1945afe126590906"


class MovieInfo:
    """A movie. value(): its id, the indices of its categories and of the words of its title."""

    def __init__(self, index: Any, categories: list[str], title: str) -> None:
        self.index, self.categories, self.title = int(index), categories, title

    def value(self) -> list[Any]:
        """Return the fields of the movie that a sample contains."""
        tables = _download_and_read_tables()
        return [
            self.index,
            [tables.categories[c] for c in self.categories],
            [tables.words[w.lower()] for w in self.title.split()],
        ]

    def __repr__(self) -> str:
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"


class UserInfo:
    """A user. value(): id, 0 for male and 1 for female, the index of the age in age_table,
    the job.
    """

    def __init__(self, index: Any, gender: str, age: Any, job_id: Any) -> None:
        self.index, self.is_male = int(index), gender == "M"
        self.age, self.job_id = age_table.index(int(age)), int(job_id)

    def value(self) -> list[int]:
        """Return the fields of the user that a sample contains."""
        return [self.index, 0 if self.is_male else 1, self.age, self.job_id]

    def __repr__(self) -> str:
        gender = "M" if self.is_male else "F"
        return (
            f"<UserInfo id({self.index}), gender({gender}), age({age_table[self.age]}), "
            f"job({self.job_id})>"
        )


class _MovieAndUserTables:
    """The movies and users in an archive of MovieLens.

    Words and categories are numbered alphabetically (in Paddle the numbers change in each process).
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.movies: dict[int, MovieInfo] = {}
        self.users: dict[int, UserInfo] = {}
        for number, title, categories in _iter_rows(path, "movies"):
            name = re.sub(r"\(\d+\)$", "", title)
            self.movies[int(number)] = MovieInfo(number, categories.split("|"), name)
        for number, gender, age, job, _ in _iter_rows(path, "users"):
            self.users[int(number)] = UserInfo(number, gender, age, job)
        words = {w.lower() for movie in self.movies.values() for w in movie.title.split()}
        self.words = {w: i for i, w in enumerate(sorted(words))}
        self.categories = {
            c: i
            for i, c in enumerate(sorted({c for m in self.movies.values() for c in m.categories}))
        }


def _iter_rows(path: str, table: str) -> Iterator[list[str]]:
    with zipfile.ZipFile(path) as archive, archive.open(f"ml-1m/{table}.dat") as file:
        for line in file:
            yield line.decode("latin-1").strip().split("::")


@functools.lru_cache(maxsize=1)
def _read_tables_cached(path: str) -> _MovieAndUserTables:
    return _MovieAndUserTables(path)


def _download_and_read_tables() -> _MovieAndUserTables:
    return _read_tables_cached(common.download(URL, "movielens", MD5))


def _iter_samples(
    rand_seed: int = 0, test_ratio: float = 0.1, is_test: bool = False
) -> Iterator[Any]:
    tables = _download_and_read_tables()
    generator = np.random.RandomState(rand_seed)
    for user, movie, rating, _ in _iter_rows(tables.path, "ratings"):
        if (generator.random_sample() < test_ratio) == is_test:
            yield [
                *tables.users[int(user)].value(),
                *tables.movies[int(movie)].value(),
                [float(rating) * 2 - 5.0],
            ]


def train(rand_seed: int = 0, test_ratio: float = 0.1) -> Callable[[], Iterator[Any]]:
    """Return a reader of the ratings for training: those that are not selected for testing."""
    return lambda: _iter_samples(rand_seed, test_ratio)


def test(rand_seed: int = 0, test_ratio: float = 0.1) -> Callable[[], Iterator[Any]]:
    """Return a reader of the ratings for testing: a random selection of the fraction test_ratio of
    all ratings.
    """
    return lambda: _iter_samples(rand_seed, test_ratio, is_test=True)


def get_movie_title_dict() -> dict[str, int]:
    """Return a dict from the words of movie titles to indices."""
    return _download_and_read_tables().words


def movie_categories() -> dict[str, int]:
    """Return a dict from movie categories to indices."""
    return _download_and_read_tables().categories


def user_info() -> dict[int, UserInfo]:
    """Return all users by id."""
    return _download_and_read_tables().users


def movie_info() -> dict[int, MovieInfo]:
    """Return all movies by id."""
    return _download_and_read_tables().movies


def max_movie_id() -> int:
    """Return the largest movie id."""
    return max(_download_and_read_tables().movies)


def max_user_id() -> int:
    """Return the largest user id."""
    return max(_download_and_read_tables().users)


def max_job_id() -> int:
    """Return the largest job id."""
    return max(user.job_id for user in _download_and_read_tables().users.values())


def fetch() -> None:
    """Download the archive."""
    _download_and_read_tables()
