r"""Free text split into steps, the way models and textbooks mark them.

The plainest marking that the text has decides: `Step 1:` headings, then a numbered list, Markdown
headings, paragraphs, lines, and at last sentences. Display mathematics (`\[…\]`, `$$…$$`,
`\begin{…}`), `[asy]` drawings and code blocks are never cut.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_WHOLE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|\[asy\].*?(?:\[/asy\]|\Z)|\\\[.*?(?:\\\]|\Z)"
    r"|\$\$.*?(?:\$\$|\Z)|\\begin\{(?P<env>[A-Za-z]+\*?)\}.*?(?:\\end\{(?P=env)\}|\Z)",
    re.DOTALL,
)
_INLINE = re.compile(r"(?<![\\$])\$(?!\s)[^$\n]+?(?<!\\)\$(?!\d)|\\\(.*?\\\)", re.DOTALL)
_STEP = re.compile(r"^[ ]{0,3}(?:#{1,6} *)?\**_*step +(\d{1,3})\b", re.IGNORECASE | re.MULTILINE)
_ITEM = re.compile(r"^[ ]{0,3}\**\(?(\d{1,3})[.)]\**(?=\s)", re.MULTILINE)
_HEADING = re.compile(r"^(?:#{1,6} +\S.*|\*\*[^*\n]+\*\*:?) *$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_LINE = re.compile(r"\n+")
_SENTENCE = re.compile(r"(?<=[.!?])[^\S\n]+(?=[A-Z$\\(\"'])|(?<=[.!?])\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|No|vs|etc|e\.g|i\.e|approx|Eq|Fig)|\b[A-Z]|(?:\A|\n)\s*\d{1,3})\.$"
)
_GOES_ON = re.compile(r"\s*(?:[=+*/&<>≈×÷]|-\s|\\(?:\[|begin|implies|Rightarrow)|\$\$|\[asy\]|```)")
_ANSWER_LINE = re.compile(r"^\s*(?:####.*|A:\s*\S+|The answer is: .*)\s*$")
MAX_STEPS = 200
"""A text with more marks than this is no chain of steps; the rest stays in the last one."""


def split_steps(text: str) -> list[str]:
    """The steps of a solution in free text, in order, stripped of surrounding blanks.

    Nothing but white space is lost between the steps, except a closing line that states the answer
    alone (`#### 18`, `A: 18`). A text before the first mark goes with the first step.
    An empty text has no steps.
    """
    text = _without_answer_lines(text.replace("\r\n", "\n").strip())
    if not text:
        return []
    whole = [match.span() for match in _WHOLE.finditer(text)]
    for cuts in (_step_marks, _list_items, _headings, _paragraphs, _lines):
        places = [place for place in cuts(text) if not _inside(place, whole)]
        if cuts is _step_marks and len(places) == 1:
            return [text]
        steps = _cut(text, places[: MAX_STEPS - 1])
        if len(steps) > 1:
            return steps
    guarded = whole + [match.span() for match in _INLINE.finditer(text)]
    return _cut(text, [p for p in _sentences(text) if not _inside(p, guarded)][: MAX_STEPS - 1])


def _step_marks(text: str) -> list[int]:
    return _with_preamble(_numbered(_STEP, text))


def _list_items(text: str) -> list[int]:
    places = _numbered(_ITEM, text)
    return _with_preamble(places) if len(places) > 1 else []


def _numbered(mark: re.Pattern[str], text: str) -> list[int]:
    """Where marks numbered 1, 2, 3, … stand; a number out of turn marks nothing."""
    places: list[int] = []
    for match in mark.finditer(text):
        if int(match[1]) == len(places) + 1:
            places.append(match.start())
    return places


def _headings(text: str) -> list[int]:
    places = [match.start() for match in _HEADING.finditer(text)]
    return _with_preamble(places) if len(places) > 1 else []


def _with_preamble(places: list[int]) -> list[int]:
    """The marks, the first moved to the start: what stands before it goes with its step."""
    return [0, *places[1:]] if places else []


def _paragraphs(text: str) -> list[int]:
    return list(_own(text, _PARAGRAPH))


def _lines(text: str) -> list[int]:
    return list(_own(text, _LINE))


def _own(text: str, gap: re.Pattern[str]) -> Iterator[int]:
    """The starts of parts that don't just go on with the part before, as a formula does."""
    for match in gap.finditer(text):
        before = text[: match.start()].rstrip()
        if _GOES_ON.match(text, match.end()) or before.endswith((":", ",")):
            continue
        yield match.end()


def _sentences(text: str) -> Iterator[int]:
    for match in _SENTENCE.finditer(text):
        if not _ABBREVIATION.search(text, max(0, match.start() - 12), match.start()):
            yield match.end()


def _cut(text: str, places: Sequence[int]) -> list[str]:
    ends = [0, *[place for place in places if place], len(text)]
    return [part for start, end in pairwise(ends) if (part := text[start:end].strip())]


def _inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < place < end for start, end in spans)


def _without_answer_lines(text: str) -> str:
    body, newline, last = text.rpartition("\n")
    if newline and _ANSWER_LINE.match(last):
        return _without_answer_lines(body.rstrip())
    return text
