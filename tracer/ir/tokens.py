"""Tokenizer for one line of the text form of a program."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .printer import WORD_PATTERN

_TOKEN_PATTERN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<word>'
    + WORD_PATTERN.pattern
    + r")|(?P<mark>[,:=()\[\]])|#\s*(?P<rest>.*))"
)
INT_PATTERN = re.compile(r"[+-]?\d{1,20}")


class LineSyntaxError(Exception):
    """Raised for a syntax error in a line of the text form of a program."""


class Token(NamedTuple):
    """A token of a line. kind: 'text' (quoted), 'word', 'mark' (punctuation) or 'end'."""

    kind: str
    value: str


END_TOKEN = Token("end", "the end of the line")


class TokenLine:
    """Reads the tokens of a line one by one. comment: the text after `#`"""

    def __init__(self, line: str) -> None:
        self.tokens: list[Token] = []
        self.comment = ""
        self.position = 0
        self._tokenize(line.rstrip())

    def _tokenize(self, line: str) -> None:
        position = 0
        while position < len(line):
            found = _TOKEN_PATTERN.match(line, position)
            if found is None:
                raise LineSyntaxError(f"invalid syntax at {line[position : position + 20]!r}")
            position = found.end()
            if found["rest"] is not None:
                self.comment = unquote_text_at_line_end_if_quoted(found["rest"])
                return
            kind = str(found.lastgroup)
            value = found[kind]
            self.tokens.append(Token(kind, _unquote(value) if kind == "text" else value))

    def peek(self, ahead: int = 0) -> Token:
        """Return the token that is `ahead` tokens after the next one, without consuming it."""
        at = self.position + ahead
        return self.tokens[at] if at < len(self.tokens) else END_TOKEN

    def next_token(self) -> Token:
        """Consume and return the next token."""
        token = self.peek()
        self.position += 1
        return token

    def next_is(self, mark: str, ahead: int = 0) -> bool:
        """Whether the token that is `ahead` tokens after the next one is the punctuation `mark`."""
        return self.peek(ahead) == Token("mark", mark)

    def skip_if(self, mark: str) -> bool:
        """Consume the next token if it is the punctuation `mark`; return whether it was."""
        found = self.next_is(mark)
        self.position += found
        return found

    def expect(self, mark: str) -> None:
        """Consume the next token. Raises LineSyntaxError if it is not the punctuation `mark`."""
        if not self.skip_if(mark):
            raise LineSyntaxError(f"{mark!r} is expected, not {self.peek().value!r:.80}")

    def next_name(self, what: str) -> str:
        """Consume a word or quoted text and return it. what: what the text means, for messages"""
        token = self.next_token()
        if token.kind not in ("word", "text"):
            raise LineSyntaxError(f"{what} is expected, not {token.value!r:.80}")
        return token.value

    def next_integer(self, what: str) -> int:
        """Consume an integer and return it. what: what the number means, for messages"""
        token = self.next_token()
        if token.kind != "word" or not INT_PATTERN.fullmatch(token.value):
            raise LineSyntaxError(f"{what} is expected, not {token.value!r:.80}")
        return int(token.value)

    def parse_list_after_bracket(self, one: Callable[[], Any]) -> list[Any]:
        """Parse `a, b, c]`, the rest of a list after its opening bracket, and return the
        elements.

        one: the function that parses an element.
        """
        found: list[Any] = []
        while not self.skip_if("]"):
            if found:
                self.expect(",")
            found.append(one())
        return found

    def expect_end(self) -> None:
        """Raise LineSyntaxError if the line has another token that was not consumed."""
        if self.peek() != END_TOKEN:
            raise LineSyntaxError(f"the end of the line is expected, not {self.peek().value!r:.80}")


def _unquote(text: str) -> str:
    try:
        found: str = json.loads(text, strict=False)
    except ValueError:
        raise LineSyntaxError(f"the text {text:.40} is not closed or has a wrong escape") from None
    return found


def unquote_text_at_line_end_if_quoted(text: str) -> str:
    """Parse text that `printer.quote_text_at_line_end_if_needed` wrote: unquote it if it begins
    with a quotation mark, and return other text unchanged. Raises LineSyntaxError for text that is
    quoted wrongly.
    """
    return _unquote(text) if text.startswith('"') else text
