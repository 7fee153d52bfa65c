"""Judges' answers, read strictly: what a model said of each step, or the fault it should mend.

Every reader takes any JSON value and raises nothing but ValueError. Its message goes back to the
model, so it names each fault with the step it stands at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from chainwright.schemas.words import Binary

Words = tuple[Binary, Binary]
"""The label of a sound step, and that of a faulty one."""

ERROR_WORDS: Words = ("correct", "error")
FAITHFULNESS_WORDS: Words = ("faithful", "unfaithful")

MOST_TAGS = 3

QUOTED = 60
"""Characters of a bad value that a message shows."""


@dataclass(frozen=True)
class Verdict:
    """What is said of a step, or of a chain; a sound one has no category."""

    label: Binary
    category: str | None
    explanation: str


@dataclass(frozen=True)
class Premises:
    """The earlier steps that a step needs, ascending, each once; 0 = the question."""

    steps: tuple[int, ...]
    explanation: str


@dataclass(frozen=True)
class Remark:
    """What is said of a step in free words: both null or empty where it is faithful."""

    faithful: bool
    description: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Need:
    """Whether a step needs one earlier step."""

    needed: bool
    explanation: str


@dataclass(frozen=True)
class OnePass:
    """What one answer says of all steps, by number, and of the chain as a whole."""

    verdicts: dict[int, Verdict]
    premises: dict[int, Premises]
    chain: Verdict


def read_verdicts(value: Any, *, steps: Sequence[int], types: Sequence[str]) -> dict[int, Verdict]:
    """The verdicts on exactly these steps.

    Raises:
        ValueError: for too few, too many or other steps, an unknown label or type, a type without
            an error or an error without a type.
    """
    faults = _Faults()
    entries = _entries(value, steps)
    found = {n: _verdict(entry, f"step {n}", types, faults) for n, entry in entries.items()}
    faults.raise_any()
    return found


def read_faithfulness(
    value: Any, *, steps: Sequence[int], categories: Sequence[str]
) -> dict[int, Verdict]:
    """The verdicts on exactly these steps; without categories the label alone.

    Raises:
        ValueError: for all that `read_verdicts` refuses.
    """
    faults = _Faults()
    found = {
        number: _verdict(entry, f"step {number}", categories, faults, FAITHFULNESS_WORDS)
        for number, entry in _entries(value, steps).items()
    }
    faults.raise_any()
    return found


def read_remarks(value: Any, *, steps: Sequence[int]) -> dict[int, Remark]:
    """The remarks on exactly these steps; a tag that is named twice counts once.

    Raises:
        ValueError: for too few, too many or other steps, an unfaithful step without a description
            or without one to three tags, and a faithful one with either.
    """
    faults = _Faults()
    found = {n: _remark(entry, f"step {n}", faults) for n, entry in _entries(value, steps).items()}
    faults.raise_any()
    return found


def read_check(value: Any, *, step: int, category: str) -> Verdict:
    """The verdict on one step that was checked for one category of error.

    Raises:
        ValueError: for too many or other steps, or an unknown label.
    """
    faults = _Faults()
    entry = _entries(value, [step])[step]
    label = _label(entry, f"step {step}", faults)
    explanation = _explanation(entry, f"step {step}", faults)
    faults.raise_any()
    return Verdict(label, category if label == "error" else None, explanation)


def read_premises(value: Any, *, steps: Sequence[int]) -> dict[int, Premises]:
    """The premises of exactly these steps; one that is named twice counts once.

    Raises:
        ValueError: for too few, too many or other steps, and a premise that is the step itself, a
            later one, or no step.
    """
    faults = _Faults()
    entries = _entries(value, steps)
    found = {number: _premises(entry, number, faults) for number, entry in entries.items()}
    faults.raise_any()
    return found


def read_need(value: Any, *, step: int, earlier: int) -> Need:
    """Whether the step needs the earlier one.

    Raises:
        ValueError: for too many or other steps, or anything but true or false.
    """
    faults = _Faults()
    entry = _entries(value, [step])[step]
    echoed = entry.get("earlier")
    if not _is_number(echoed) or echoed != earlier:
        faults.add(f"step {step}: `earlier` is {_quoted(echoed)}, expected {earlier}")
    needed = entry.get("needed")
    if not isinstance(needed, bool):
        faults.add(f"step {step}: `needed` is {_quoted(needed)}, expected true or false")
    explanation = _explanation(entry, f"step {step}", faults)
    faults.raise_any()
    return Need(needed is True, explanation)


def read_one_pass(
    value: Any, *, steps: Sequence[int], types: Sequence[str], chain_types: Sequence[str]
) -> OnePass:
    """Verdict and premises of every step, and the verdict on the chain.

    Raises:
        ValueError: for all that `read_verdicts` and `read_premises` refuse, and an unreadable
            verdict on the chain.
    """
    faults = _Faults()
    entries = _entries(value, steps)
    verdicts = {n: _verdict(entry, f"step {n}", types, faults) for n, entry in entries.items()}
    premises = {n: _premises(entry, n, faults) for n, entry in entries.items()}
    whole = value.get("chain")
    chain = _verdict(whole if isinstance(whole, dict) else {}, "`chain`", chain_types, faults)
    faults.raise_any()
    return OnePass(verdicts, premises, chain)


class _Faults:
    """All faults of an answer: a model gets one more try, so it should hear of each."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, fault: str) -> None:
        self.found.append(fault)

    def raise_any(self) -> None:
        if self.found:
            raise ValueError("; ".join(self.found))


def _entries(value: Any, steps: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The entries by the number they echo, in the order of `steps`."""
    entries = value.get("steps") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(entries, list):
        what = f"`steps` {_quoted(entries)}" if isinstance(value, dict) else _quoted(value)
        raise ValueError(f"found {what}, expected an object with a list `steps`")  # noqa: TRY004
    found: dict[int, dict[str, Any]] = {}
    expected = ", ".join(map(str, steps))
    for entry in entries:
        number = entry.get("step") if isinstance(entry, dict) else None
        if not _is_number(number):
            what = (
                f"one with `step` {_quoted(number)}" if isinstance(entry, dict) else _quoted(entry)
            )
            raise ValueError(f"expected entries whose `step` is a step number, found {what}")
        if number not in steps:
            raise ValueError(f"found step {_quoted(number)}, expected entries for {expected} only")
        if number in found:
            raise ValueError(f"found two entries for step {number}, expected one for each step")
        found[number] = entry
    if missing := [number for number in steps if number not in found]:
        listed = ", ".join(map(str, missing))
        raise ValueError(
            f"found {len(found)} entries, expected {len(steps)}: step {listed} is missing"
        )
    return {number: found[number] for number in steps}


def _verdict(
    entry: dict[str, Any],
    place: str,
    types: Sequence[str],
    faults: _Faults,
    words: Words = ERROR_WORDS,
) -> Verdict:
    label = _label(entry, place, faults, words)
    explanation = _explanation(entry, place, faults)
    if not types:
        return Verdict(label, None, explanation)
    sound, faulty = words
    category = entry.get("category")
    allowed = ", ".join(types)
    if category is not None and category not in types:
        faults.add(f"{place}: `category` is {_quoted(category)}, expected null or one of {allowed}")
    elif category is not None and entry.get("label") == sound:
        found = _quoted(category)
        faults.add(f"{place}: `category` is {found} although `label` is {sound}, expected null")
    elif category is None and entry.get("label") == faulty:
        faults.add(f"{place}: `category` is null although `label` is {faulty}, expected {allowed}")
    return Verdict(label, category, explanation)


def _label(
    entry: dict[str, Any], place: str, faults: _Faults, words: Words = ERROR_WORDS
) -> Binary:
    label = entry.get("label")
    for word in words:
        if label == word:
            return word
    faults.add(f"{place}: `label` is {_quoted(label)}, expected {' or '.join(words)}")
    return words[0]


def _explanation(entry: dict[str, Any], place: str, faults: _Faults) -> str:
    explanation = entry.get("explanation")
    if isinstance(explanation, str):
        return explanation
    faults.add(f"{place}: `explanation` is {_quoted(explanation)}, expected a text")
    return ""


def _remark(entry: dict[str, Any], place: str, faults: _Faults) -> Remark:
    faithful = entry.get("faithful")
    if not isinstance(faithful, bool):
        faults.add(f"{place}: `faithful` is {_quoted(faithful)}, expected true or false")
    said, given = entry.get("description"), entry.get("tags")
    description = said.strip() if isinstance(said, str) else None
    words = given if isinstance(given, list) else []
    tags = dict.fromkeys(" ".join(word.split()) for word in words if isinstance(word, str))
    tags.pop("", None)
    if faithful is False and not description:
        faults.add(f"{place}: `description` is {_quoted(said)}, expected what is wrong")
    if faithful is False and not 1 <= len(tags) <= MOST_TAGS:
        faults.add(f"{place}: `tags` is {_quoted(given)}, expected one to three short texts")
    if faithful is True and (description or tags):
        faults.add(f"{place}: `faithful` is true beside a description or tags, expected neither")
    return Remark(faithful is True, description or None, tuple(tags))


def _premises(entry: dict[str, Any], number: int, faults: _Faults) -> Premises:
    found = entry.get("premises")
    if not isinstance(found, list):
        faults.add(f"step {number}: `premises` is {_quoted(found)}, expected a list of numbers")
        found = []
    premises = set()
    for premise in found:
        if _is_number(premise) and 0 <= premise < number:
            premises.add(premise)
            continue
        why = ""
        if _is_number(premise) and premise >= number:
            why = (
                ", which is the step itself" if premise == number else ", which is no earlier step"
            )
        faults.add(
            f"step {number}: a premise is {_quoted(premise)}{why}, expected numbers from 0 to "
            f"{number - 1}"
        )
    return Premises(tuple(sorted(premises)), _explanation(entry, f"step {number}", faults))


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _quoted(value: Any) -> str:
    """A value for a message, of bounded length however large or deep it is."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, int) and abs(value) > 10**QUOTED:
        return "a huge number"
    text = str(value)
    return f"`{text}`" if len(text) <= QUOTED else f"`{text[: QUOTED - 1]}…`"
