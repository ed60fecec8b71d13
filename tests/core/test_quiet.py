"""Overflow warnings of NumPy are disabled while a program runs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from oarlock.core import errstate


@pytest.mark.parametrize("way", ["found", "for another NumPy"])
def test_overflow_warnings_are_disabled_and_restored(way: str) -> None:
    setting, value = (
        (errstate.errstate_variable, errstate.IGNORE_ALL)
        if way == "found"
        else (errstate._SeterrFallback(), None)
    )
    large, before = np.array([3e38], np.float32), np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        token = setting.set(value)
        try:
            assert np.isinf(large * large).all() and np.isnan(large * np.inf * 0).all()
        finally:
            setting.reset(token)
    assert np.geterr() == before
    with pytest.warns(RuntimeWarning):
        large * large
