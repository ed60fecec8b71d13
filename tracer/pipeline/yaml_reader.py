"""Read YAML files of model directories as plain data, within limits."""

from __future__ import annotations

import os
from typing import Any

from ..core.errors import FileError, OarlockError
from ..loader.regular_files import read_file

MAX_BYTES = 1 << 24
MAX_DEPTH = 32
MAX_VALUES = 1 << 21  # after aliases are expanded
_MAX_NUMBER_LENGTH = 64  # PyYAML needs quadratic time for long sexagesimal numbers, 1:00:00


def import_yaml() -> Any:
    """Return the module yaml.

    Raises OarlockError if PyYAML is not installed.
    """
    try:
        import yaml  # noqa: PLC0415 - optional
    except ImportError:
        raise OarlockError(
            "reading model directories requires PyYAML: pip install 'oarlock[pipeline]'"
        ) from None
    return yaml


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """Return the content of a YAML file: dicts, lists, strings, numbers, booleans and None.

    Integer keys become text; timestamps stay text.

    Raises FileError for invalid YAML, tags of other types, a key given twice, nesting deeper than
    32, or more than 2 million values after aliases are expanded.
    """
    data = read_file(path, MAX_BYTES, "settings file")
    return parse_yaml(data, os.path.basename(path))


def parse_yaml(data: bytes, name: str) -> Any:
    """Parse YAML text, given as bytes, and return its content as plain data; see `read_yaml`. name:
    for errors
    """
    yaml = import_yaml()
    # libyaml's loader is ten times faster; only its events are used, which arrive one by one.
    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loader = loader_class(data)
        try:
            return _Builder(yaml, loader, name).build()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise FileError(f"{name}: is not valid YAML ({_error_text_in_one_line(error)})") from None
    except RecursionError:
        raise FileError(f"{name}: is nested too deeply") from None


def _error_text_in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())


class _Builder:
    """Builds values from parser events with an explicit stack: the recursion of PyYAML's own
    composer can exhaust the stack.
    """

    def __init__(self, yaml: Any, loader: Any, name: str) -> None:
        self._yaml, self._loader, self._name = yaml, loader, name
        self._anchors: dict[str, Any] = {}
        self._sizes: dict[int, int] = {}  # id of a list or dict -> values in it
        self._open: list[tuple[Any, str | None]] = []  # containers and their anchors
        self._keys: list[list[Any]] = []  # for each open container: the key without a value

    def build(self) -> Any:
        """Return the content of the only document in the file. Raise FileError if the file contains
        several documents.
        """
        yaml, result = self._yaml, None
        documents = 0
        while self._loader.check_event():
            event = self._loader.get_event()
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise FileError(f"{self._name}: contains several YAML documents")
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._open_container({} if isinstance(event, yaml.MappingStartEvent) else [], event)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                result = self._close_container()
            elif isinstance(event, yaml.ScalarEvent):
                result = self._add_value(self._convert_scalar_event(event), event.anchor)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._anchors:
                    raise FileError(
                        f"{self._name}: the alias '{event.anchor}' has no anchor before"
                    )
                result = self._add_value(self._anchors[event.anchor], None)
        return result

    def _open_container(self, container: Any, event: Any) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise FileError(f"{self._name}: is nested more than {MAX_DEPTH} deep")
        if not event.implicit:
            raise FileError(f"{self._name}: has a value with the unsupported tag '{event.tag}'")
        self._open.append((container, event.anchor))
        self._keys.append([])
        self._sizes[id(container)] = 1

    def _close_container(self) -> Any:
        container, anchor = self._open.pop()
        self._keys.pop()
        return self._add_value(container, anchor)

    def _add_value(self, value: Any, anchor: str | None) -> Any:
        if anchor is not None:
            self._anchors[anchor] = value
        if not self._open:
            return value
        container, _ = self._open[-1]
        size = self._sizes[id(container)] + self._sizes.get(id(value), 1)
        if size > MAX_VALUES:
            raise FileError(f"{self._name}: contains more than {MAX_VALUES} values")
        self._sizes[id(container)] = size
        key = self._keys[-1]
        if isinstance(container, list):
            container.append(value)
        elif not key:
            key.append(self._require_new_key(value, container))
        else:
            container[key.pop()] = value
        return value

    def _require_new_key(self, key: Any, container: dict[str, Any]) -> str:
        if not isinstance(key, str) and type(key) is not int:
            raise FileError(f"{self._name}: a key of a mapping is neither text nor an integer")
        if str(key) in container:
            raise FileError(f"{self._name}: the key '{key}' is given twice")
        return str(key)

    def _convert_scalar_event(self, event: Any) -> Any:
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._loader.resolve(self._yaml.ScalarNode, event.value, event.implicit)
        kind = tag.removeprefix("tag:yaml.org,2002:")
        node = self._yaml.ScalarNode(tag, event.value)
        if kind in ("str", "timestamp", "value"):  # value: a plain "="
            return event.value
        if kind not in ("int", "float", "bool", "null"):
            raise FileError(f"{self._name}: has a value with the unsupported tag '{tag}'")
        try:
            if kind in ("int", "float") and len(event.value) > _MAX_NUMBER_LENGTH:
                raise ValueError
            return getattr(self._loader, f"construct_yaml_{kind}")(node)
        except (ValueError, OverflowError):
            raise FileError(f"{self._name}: '{event.value[:40]}' is not a valid {kind}") from None
