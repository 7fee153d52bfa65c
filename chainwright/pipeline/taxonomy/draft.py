"""The taxonomy file: drafted for a person to edit, and read back with every fault at its line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from chainwright.pipeline.taxonomy.folder import BuildRecord, ClusterRecord
from chainwright.recipe_file.document import Document, read_document
from chainwright.recipe_file.problems import RecipeError, RecipeProblem, file_problem
from chainwright.recipe_parts.part import Keys
from chainwright.schemas.words import Track
from chainwright.spelling import nearest
from chainwright.taxonomy.consolidation import Proposal
from chainwright.taxonomy.naming import NAME

TRACKS: tuple[str, ...] = get_args(Track)
TOP = ("build", "categories", "left_out")
CATEGORY = ("name", "track", "definition", "clusters")
SHOWN = 90

HEAD = """\
# A taxonomy to edit. Each category holds clusters of critiques; a comment says what is in them.
# Move a cluster's line to another category, rename, redefine, add or delete categories. Every
# cluster stays in exactly one place; `left_out` holds those that are no way of going wrong.
# Then: chainwright taxonomy apply THIS_FILE
"""


@dataclass(frozen=True)
class EditedCategory:
    """A category as the file has it."""

    name: str
    track: Track
    definition: str
    clusters: list[int]


@dataclass(frozen=True)
class Edited:
    """A taxonomy file that holds up."""

    categories: list[EditedCategory]
    left_out: list[int]

    def category_of(self) -> dict[int, str]:
        """The category of each cluster that is not left out."""
        return {number: each.name for each in self.categories for number in each.clusters}


def draft_text(
    build: str,
    proposals: Sequence[Proposal],
    tracks: Mapping[str, str | None],
    clusters: Sequence[ClusterRecord],
) -> str:
    """The file for proposed categories.

    Args:
        tracks: The track of each category, where it is known and one of the schema's.
    """
    lines = [HEAD, f"build: {build}", "categories:" if proposals else "categories: []"]
    for proposal in proposals:
        track = tracks.get(proposal.name)
        known = track if track in TRACKS else f"  # to fill in: {', '.join(TRACKS)}"
        lines += [
            f"  - name: {proposal.name}",
            f"    track: {known}" if track in TRACKS else f"    track:{known}",
            f"    definition: {quoted(proposal.definition)}",
            "    clusters:",
            *(f"      - {number}  # {_note(clusters[number])}" for number in proposal.clusters),
        ]
    return "\n".join([*lines, "left_out: []", ""])


def read_edited(path: Path, record: BuildRecord) -> Edited:
    """The categories in a taxonomy file.

    Raises:
        RecipeError: with every problem of the file, each at its line and key.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        found = getattr(error, "strerror", None) or str(error)
        raise RecipeError(path, [file_problem(found, "a taxonomy file, YAML in UTF-8")]) from error
    document = read_document(text)
    if isinstance(document, RecipeProblem):
        raise RecipeError(path, [document])
    check = _Check(document, record)
    edited = check.run()
    if check.problems:
        raise RecipeError(path, check.problems)
    return edited


def quoted(text: str) -> str:
    """A text as one line of YAML, whatever is in it.

    JSON's strings are YAML's too, but for its pairs of escapes beyond U+FFFF.
    """
    plain = json.dumps(text, ensure_ascii=False)
    return re.sub(r"[^ -~]", lambda found: f"\\U{ord(found[0]):08x}", plain)


def _is_text(value: str) -> bool:
    """Whether there is something in it that a file can hold, which half a surrogate pair is not."""
    return bool(value.strip()) and not re.search("[\ud800-\udfff]", value)


def _note(cluster: ClusterRecord) -> str:
    """What a comment says of a cluster: on one line, so that no text can end it."""
    example = " ".join((cluster.central or [""])[0].split())
    words = f"{cluster.name}, {cluster.critiques} critiques: {example}"
    plain = "".join(char if char.isprintable() else " " for char in words)
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"


class _Check:
    """One reading of a document; problems gather on the way."""

    def __init__(self, document: Document, record: BuildRecord) -> None:
        self.document = document
        self.record = record
        self.problems = list(document.problems)
        self.placed: dict[int, Keys] = {}

    def run(self) -> Edited:
        value = self.document.value
        if not isinstance(value, dict):
            self.problem((), None, f"a mapping with keys of {', '.join(TOP)}")
            return Edited([], [])
        self.keys(value, (), TOP)
        if value.get("build") != self.record.build and "build" in value:
            expected = f"{self.record.build}, the build beside it: its clusters have these numbers"
            hint = "a new build numbers its clusters anew; begin with its own taxonomy.yaml"
            self.problem(("build",), None, expected, hint)
        listed = value.get("categories")
        if not isinstance(listed, list) or not listed:
            if "categories" in value:
                self.problem(("categories",), None, "a list of categories, at least one")
            listed = []
        categories = [self.category(each, ("categories", at)) for at, each in enumerate(listed)]
        left_out = value.get("left_out") or []
        outside = self.clusters(left_out, ("left_out",))
        self.unplaced()
        self.unique(categories)
        return Edited([each for each in categories if each is not None], outside)

    def category(self, value: Any, keys: Keys) -> EditedCategory | None:
        if not isinstance(value, dict):
            self.problem(keys, None, f"a mapping with keys of {', '.join(CATEGORY)}")
            return None
        before = len(self.problems)
        self.keys(value, keys, CATEGORY)
        name, track, definition = (value.get(key) for key in CATEGORY[:3])
        if "name" in value and not (isinstance(name, str) and NAME.fullmatch(name)):
            self.problem((*keys, "name"), None, "lower-case words joined by underscores")
        if "track" in value and track not in TRACKS:
            close = nearest(str(track), TRACKS)
            hint = f"did you mean `{close}`?" if close else None
            self.problem((*keys, "track"), None, f"one of {', '.join(TRACKS)}", hint)
        if "definition" in value and not (isinstance(definition, str) and _is_text(definition)):
            self.problem((*keys, "definition"), None, "a text that defines the category")
        clusters = self.clusters(value.get("clusters") or [], (*keys, "clusters"))
        if len(self.problems) > before or not isinstance(definition, str):
            return None
        # narrowed by the checks above
        return EditedCategory(str(name), track, definition.strip(), clusters)  # type: ignore[arg-type]

    def clusters(self, value: Any, keys: Keys) -> list[int]:
        count = len(self.record.clusters)
        if not isinstance(value, list):
            self.problem(keys, None, "a list of cluster numbers")
            return []
        found = []
        for at, number in enumerate(value):
            place = (*keys, at)
            if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < count:
                self.problem(place, None, f"the number of a cluster, 0 to {count - 1}")
            elif number in self.placed:
                line, _ = self.document.place(self.placed[number])
                found_text = f"the cluster {number} a second time"
                self.problem(
                    place, found_text, "each cluster once", f"it is on line {line} already"
                )
            else:
                self.placed[number] = place
                found.append(number)
        return found

    def unplaced(self) -> None:
        missing = [each for each in self.record.clusters if each.cluster not in self.placed]
        if missing:
            named = ", ".join(f"{each.cluster} ({each.name})" for each in missing[:8])
            more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
            self.problem(
                ("categories",),
                f"no place for the cluster{'s' if len(missing) > 1 else ''} {named}{more}",
                "each cluster once",
                "put what is no way of going wrong under `left_out`",
            )

    def unique(self, categories: Sequence[EditedCategory | None]) -> None:
        first: dict[str, Keys] = {}
        for at, category in enumerate(categories):
            if category is None:
                continue
            keys: Keys = ("categories", at, "name")
            if category.name in first:
                line, _ = self.document.place(first[category.name])
                found = f"the name `{category.name}` a second time"
                self.problem(keys, found, "each name once", f"it is on line {line} already")
            first.setdefault(category.name, keys)

    def keys(self, value: Mapping[str, Any], keys: Keys, allowed: Sequence[str]) -> None:
        for key in value:
            if key not in allowed:
                close = nearest(key, allowed)
                line, column = self.document.place_of_key((*keys, key))
                hint = f"did you mean `{close}`?" if close else None
                self.problems.append(
                    RecipeProblem(
                        line,
                        column,
                        Document.key_path((*keys, key)),
                        f"the unknown key `{key}`",
                        f"keys of {', '.join(allowed)}",
                        hint,
                    )
                )
        for key in allowed:
            if key not in value and key != "left_out":
                self.problem((*keys, key), "nothing", f"the key `{key}`")

    def problem(
        self, keys: Keys, found: str | None, expected: str, hint: str | None = None
    ) -> None:
        line, column = self.document.place(keys)
        path = Document.key_path(keys)
        shown = found if found is not None else self.document.shown(keys)
        self.problems.append(RecipeProblem(line, column, path, shown, expected, hint))
