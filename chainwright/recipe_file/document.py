"""The YAML document: plain values, and where in the file each of them stands.

Values are read more narrowly than PyYAML reads them: dates stay text, numbers are decimal (YAML
1.1 takes `010` for 8 and `1:30` for 90), keys are words as written (`on:` is not true), and no
tag builds an object.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import yaml

from chainwright.recipe_file.problems import RecipeProblem
from chainwright.recipe_parts.part import Keys

MAX_ALIASES = 50
MAX_DEPTH = 20
MAX_VALUES = 20_000
"""Values once every alias is written out: nested aliases multiply (the billion laughs)."""

_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_TRUE = ("yes", "true", "on")
_SHOWN = 80


@dataclass
class Document:
    """A document's values by their keys.

    Attributes:
        value: Mappings, lists, text, numbers, booleans and None.
        nodes: YAML's own node of every value.
        key_nodes: YAML's own node of every key of a mapping.
        problems: What made parts of the document unreadable: repeated keys, odd numbers, tags.
    """

    value: Any = None
    nodes: dict[Keys, yaml.Node] = field(default_factory=dict)
    key_nodes: dict[Keys, yaml.Node] = field(default_factory=dict)
    problems: list[RecipeProblem] = field(default_factory=list)

    @staticmethod
    def key_path(keys: Keys) -> str:
        """Keys in one word, such as `sources[0].limit`."""
        words = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
        return "".join(words).removeprefix(".")

    def place(self, keys: Keys) -> tuple[int, int]:
        """Line and column of a value, or of the closest part around it that is there."""
        while keys and keys not in self.nodes:
            keys = keys[:-1]
        return _place(self.nodes[keys].start_mark) if keys in self.nodes else (1, 1)

    def place_of_key(self, keys: Keys) -> tuple[int, int]:
        """Line and column of the key itself."""
        node = self.key_nodes.get(keys)
        return _place(node.start_mark) if node else self.place(keys)

    def shown(self, keys: Keys) -> str:
        """A value as a reader of the file would recognise it, in one line."""
        node = self.nodes.get(keys)
        if isinstance(node, yaml.MappingNode):
            names = ", ".join(str(key.value) for key, _ in node.value)
            return _cut(f"a mapping with the keys {names}" if names else "an empty mapping")
        if isinstance(node, yaml.SequenceNode):
            count = len(node.value)
            return f"a list of {count} item{'s' if count > 1 else ''}" if count else "an empty list"
        if not isinstance(node, yaml.ScalarNode) or node.tag == f"{_TAG}null":
            return "nothing"
        if node.tag == f"{_TAG}bool" and node.value.lower() not in ("true", "false"):
            return f"{node.value}, which YAML reads as {str(node.value.lower() in _TRUE).lower()}"
        if isinstance(_plain(node), str):
            return f"{_cut(repr(node.value)[1:-1], quote=True)} (text)"
        return str(node.value)


def read_document(text: str) -> Document | RecipeProblem:
    """The document in a YAML text, or the one problem that kept it from being read."""
    document = Document()
    try:
        loader = _Composer(text)
        root = loader.get_single_node()
        if root is not None:
            document.value = _Reader(document).read(root, ())
    except yaml.MarkedYAMLError as error:
        return _syntax_problem(error)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        column = error.position - text.rfind("\n", 0, error.position)
        found = f"the character U+{ord(text[error.position]):04X}"
        return RecipeProblem(line, column, "", found, "printable text", None)
    except _TooMuchError as error:
        return error.problem
    return document


class _TooMuchError(Exception):
    """A document that would grow beyond all bounds."""

    def __init__(self, mark: Any, found: str, expected: str, hint: str | None = None) -> None:
        super().__init__(found)
        self.problem = RecipeProblem(*_place(mark), "", found, expected, hint)


class _Composer(yaml.SafeLoader):
    """Composes nodes under limits; builds no values."""

    aliases = 0
    nodes = 0
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
            if self.aliases > MAX_ALIASES:
                raise _TooMuchError(
                    mark, f"more than {MAX_ALIASES} aliases", f"at most {MAX_ALIASES} aliases"
                )
        self.nodes += 1
        if self.nodes > MAX_VALUES:
            raise _TooMuchError(mark, *_TOO_MANY)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooMuchError(mark, *_TOO_DEEP)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


_TOO_MANY = (f"more than {MAX_VALUES} values, aliases written out", f"at most {MAX_VALUES} values")
_TOO_DEEP = (
    f"more than {MAX_DEPTH} levels of nesting",
    f"at most {MAX_DEPTH} levels",
    "an anchor may not contain its own alias",
)


@dataclass
class _Reader:
    """Turns nodes into values and enters them into the document."""

    document: Document
    values: int = 0
    depth: int = 0

    def read(self, node: yaml.Node, keys: Keys) -> Any:
        self.document.nodes[keys] = node
        if isinstance(node, yaml.ScalarNode):
            self.values += 1
            value = _plain(node)
            if isinstance(value, _Odd):
                self.problem(node, keys, value.found, value.expected, value.hint)
                return node.value
            return value
        with self.counted(node):
            if isinstance(node, yaml.MappingNode):
                return self.mapping(node, keys)
            return [self.read(item, (*keys, place)) for place, item in enumerate(node.value)]

    @contextmanager
    def counted(self, node: yaml.Node) -> Iterator[None]:
        """Count a mapping or list, and bound how many values there are and how deep they nest."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise _TooMuchError(node.start_mark, *_TOO_MANY)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooMuchError(node.start_mark, *_TOO_DEEP)
        yield
        self.depth -= 1

    def mapping(self, node: yaml.MappingNode, keys: Keys) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged = self.merged(node, keys)
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                self.problem(key_node, keys, "a key that is no word", "words as keys")
                continue
            place = (*keys, key_node.value)
            if key_node.value in own:
                first = _place(self.document.key_nodes[place].start_mark)[0]
                found = f"the key `{key_node.value}` a second time"
                hint = f"it is on line {first} already"
                self.problem(key_node, place, found, "each key once", hint)
                continue
            self.document.key_nodes[place] = key_node
            own[key_node.value] = self.read(value_node, place)
        return {**merged, **own}

    def merged(self, node: yaml.MappingNode, keys: Keys) -> dict[str, Any]:
        """The keys that `<<: *anchor` takes over; of several anchors the first one wins."""
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag != _MERGE:
                continue
            parts = value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
            for part in reversed(parts):
                if isinstance(part, yaml.MappingNode):
                    with self.counted(part):
                        values.update(self.mapping(part, keys))
                else:
                    self.problem(part, keys, "a merge (<<) of no mapping", "an alias of a mapping")
        return values

    def problem(
        self, node: yaml.Node, keys: Keys, found: str, expected: str, hint: str | None = None
    ) -> None:
        line, column = _place(node.start_mark)
        problem = RecipeProblem(line, column, Document.key_path(keys), found, expected, hint)
        places = {(known.line, known.column) for known in self.document.problems}
        if (line, column) not in places:  # an alias shows the same fault again
            self.document.problems.append(problem)


@dataclass(frozen=True)
class _Odd:
    """A scalar that is refused rather than read in a way its writer did not expect."""

    found: str
    expected: str
    hint: str | None = None


def _plain(node: yaml.Node) -> str | int | float | bool | _Odd | None:
    text = str(node.value)
    match node.tag.removeprefix(_TAG):
        case "str" | "timestamp" | "merge" | "value":
            return text
        case "null":
            return None
        case "bool" if text.lower() in (*_TRUE, "no", "false", "off"):
            return text.lower() in _TRUE
        case "int" if re.fullmatch(r"[-+]?(0|[1-9][0-9_]{0,40})", text):
            return int(text.replace("_", ""))
        case "float" if ":" not in text:
            try:
                return float(
                    re.sub(r"^([-+]?)\.(inf|nan)$", r"\1\2", text.lower()).replace("_", "")
                )
            except ValueError:
                pass
        case tag if tag not in ("bool", "int", "float"):
            return _Odd(f"the tag {_cut(node.tag)}", "plain values without tags")
    found = _cut(text)
    return _Odd(
        f"{found}, an odd spelling of a number", "decimal digits", f'if it is text: "{found}"'
    )


def _syntax_problem(error: yaml.MarkedYAMLError) -> RecipeProblem:
    mark = error.problem_mark or error.context_mark
    line, column = _place(mark) if mark else (1, 1)
    parts = [part for part in (error.context, error.problem) if part]
    found = _cut(", ".join(parts), most=200)
    hint = "tabs may not indent: use blanks" if "'\\t'" in found else error.note
    if "mapping values are not allowed" in found:
        hint = "text that holds a colon and a blank needs quotes; is a line indented too far?"
    return RecipeProblem(line, column, "", f"broken YAML: {found}", "valid YAML", hint)


def _place(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _cut(text: str, *, quote: bool = False, most: int = _SHOWN) -> str:
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    return f'"{short}"' if quote else short
