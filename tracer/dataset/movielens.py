"""A million ratings of films

(Harper and Konstan 2015): user (number, gender, age, job), film (number, categories, title),
[rating].
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
    """A film.

    value(): its number, the numbers of its categories, and of the words of its title
    """

    def __init__(self, index: Any, categories: list[str], title: str) -> None:
        self.index, self.categories, self.title = int(index), categories, title

    def value(self) -> list[Any]:
        """What a sample has of it."""
        known = _tables()
        return [
            self.index,
            [known.categories[c] for c in self.categories],
            [known.words[w.lower()] for w in self.title.split()],
        ]

    def __repr__(self) -> str:
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"


class UserInfo:
    """A user.

    value(): number, 0 for a man and 1 for a woman, the place of the age in age_table, and the job
    """

    def __init__(self, index: Any, gender: str, age: Any, job_id: Any) -> None:
        self.index, self.is_male = int(index), gender == "M"
        self.age, self.job_id = age_table.index(int(age)), int(job_id)

    def value(self) -> list[int]:
        """What a sample has of it."""
        return [self.index, 0 if self.is_male else 1, self.age, self.job_id]

    def __repr__(self) -> str:
        gender = "M" if self.is_male else "F"
        return (
            f"<UserInfo id({self.index}), gender({gender}), age({age_table[self.age]}), "
            f"job({self.job_id})>"
        )


class _Tables:
    """Films and users of an archive.

    The numbers of words and categories go by the alphabet (Paddle's change from run to run)
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.movies: dict[int, MovieInfo] = {}
        self.users: dict[int, UserInfo] = {}
        for number, title, categories in _rows(path, "movies"):
            name = re.sub(r"\(\d+\)$", "", title)
            self.movies[int(number)] = MovieInfo(number, categories.split("|"), name)
        for number, gender, age, job, _ in _rows(path, "users"):
            self.users[int(number)] = UserInfo(number, gender, age, job)
        words = {w.lower() for movie in self.movies.values() for w in movie.title.split()}
        self.words = {w: i for i, w in enumerate(sorted(words))}
        self.categories = {
            c: i
            for i, c in enumerate(sorted({c for m in self.movies.values() for c in m.categories}))
        }


def _rows(path: str, table: str) -> Iterator[list[str]]:
    with zipfile.ZipFile(path) as archive, archive.open(f"ml-1m/{table}.dat") as file:
        for line in file:
            yield line.decode("latin-1").strip().split("::")


@functools.lru_cache(maxsize=1)
def _read(path: str) -> _Tables:
    return _Tables(path)


def _tables() -> _Tables:
    return _read(common.download(URL, "movielens", MD5))


def _samples(rand_seed: int = 0, test_ratio: float = 0.1, is_test: bool = False) -> Iterator[Any]:
    known = _tables()
    draws = np.random.RandomState(rand_seed)
    for user, movie, rating, _ in _rows(known.path, "ratings"):
        if (draws.random_sample() < test_ratio) == is_test:
            yield [
                *known.users[int(user)].value(),
                *known.movies[int(movie)].value(),
                [float(rating) * 2 - 5.0],
            ]


def train(rand_seed: int = 0, test_ratio: float = 0.1) -> Callable[[], Iterator[Any]]:
    """A reader of what is not drawn for testing."""
    return lambda: _samples(rand_seed, test_ratio)


def test(rand_seed: int = 0, test_ratio: float = 0.1) -> Callable[[], Iterator[Any]]:
    """A reader of test_ratio of the ratings, drawn at random."""
    return lambda: _samples(rand_seed, test_ratio, is_test=True)


def get_movie_title_dict() -> dict[str, int]:
    """The numbers of the words of titles."""
    return _tables().words


def movie_categories() -> dict[str, int]:
    """The numbers of categories."""
    return _tables().categories


def user_info() -> dict[int, UserInfo]:
    """All users by number."""
    return _tables().users


def movie_info() -> dict[int, MovieInfo]:
    """All films by number."""
    return _tables().movies


def max_movie_id() -> int:
    """The largest number of a film."""
    return max(_tables().movies)


def max_user_id() -> int:
    """The largest number of a user."""
    return max(_tables().users)


def max_job_id() -> int:
    """The largest number of a job."""
    return max(user.job_id for user in _tables().users.values())


def fetch() -> None:
    """Have its archive."""
    _tables()
