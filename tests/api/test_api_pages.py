"""The pages of the API reference describe every public name, and show docstrings as written."""

from __future__ import annotations

import re

import pytest

from tests.api.public_names import names_by_package, public_names
from tests.tools.api_pages import Docstring, body_of, entries, escape, page_of

DESCRIPTION = re.compile(
    r"^ *\.\. py:(?:class|function|method|staticmethod|classmethod|property):: ", re.MULTILINE
)


def test_pages_describe_every_public_name() -> None:
    members = [member for entry in entries().values() for member in entry.members]
    values = set(entries()) | {id(member.value) for member in members}
    assert [n.name for n in public_names() if id(n.value) not in values] == []
    described = sum(len(DESCRIPTION.findall(page_of(package))) for package in names_by_package())
    assert described == len(entries()) + len(members)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a * b_ | <c>", r"a \* b\_ \| \<c\>"),
        ("`x` and ``y * z``", r"\ ``x``\  and \ ``y * z``\ "),
        ("see `nn.Conv2D`", r"see \ :py:obj:`nn.Conv2D <paddle.nn.Conv2D>`\ "),
    ],
)
def test_escape(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_docstring_with_formula_list_and_shape() -> None:
    text = """Summary.

    y = a * x
    z = b * x

    where a and b are numbers.

    Parameters
    ----------
    x : Tensor
        Either

        - one, or
          more lines
        - two.
    y : int, default 1

    Shape
    -----
    x : [N, C]
    returns : [N]
    """
    body = body_of(Docstring("\n".join(line.removeprefix("    ") for line in text.splitlines())))
    assert ".. code-block:: none\n\n   y = a * x\n   z = b * x\n" in body
    assert "where a and b are numbers." in body
    assert "**x** : Tensor\n   Either\n\n   - one, or\n     more lines\n   - two.\n" in body
    assert "**y** : int, default 1\n   \\ \n" in body
    assert ".. rubric:: Shape\n\n**x** : [N, C]\n   \\ \n\n**returns** : [N]\n" in body
