"""Guidelines for annotators, written from the categories that they choose among."""

from collections.abc import Iterable, Mapping
from html import escape

from chainwright.annotation.people.questionnaire import Questionnaire

_SOUND: Mapping[str, str] = {
    "correct": "the step is right: what it says follows from the question and the steps that it "
    "builds on, and these are right themselves",
    "faithful": "the step says no more and nothing else than what the passages, the question and "
    "the steps before carry",
}
_FAULT: Mapping[str, str] = {
    "error": "the step is wrong, or rests on a step that is",
    "unfaithful": "the step is not carried by what it should rest on, whether or not it is true",
}
_TITLES = {
    "math": "Chains of calculation",
    "inference": "Chains that draw conclusions",
    "grounding": "Chains that rest on evidence",
}
_HOW = (
    "Read the question, the passages if there are any, and the whole chain before you answer.",
    "Go through the steps in order. Give each one a label. A step that you can't decide on gets "
    "the label you find likelier, and a note.",
    "A category is given where the step is at fault, and nowhere else. Where two fit, take the one "
    "that names the first thing that goes wrong in the step.",
    "Premises are the earlier steps that the step builds on directly, by number; 0 stands for the "
    "question with its passages. Give the fewest under which the step can be checked.",
    "Judge the step as it is written. That a later step goes wrong, or that the final answer is "
    "wrong or right, says nothing of this step.",
    "Where the question can't be understood or the steps are garbled, answer `no` to `suitable` "
    "and go on to the next chain.",
    "Work alone. Don't look the question up, and don't ask a model.",
)
_IN_FILES = (
    "In a table, each step is a row: fill in `label`, `category`, `premises` (such as `0, 2`) and, "
    "if you like, `note`. In the row of step 0, which holds the question, `suitable` and `seconds` "
    "(the time the chain took you) are about the chain as a whole. Leave everything else as it "
    "is. Save the file as CSV. Chains that you have not come to stay blank; you may hand in the "
    "file as often as you like, and change or blank answers that you gave."
)


def guidelines_markdown(questions: Iterable[Questionnaire]) -> str:
    """The guidelines as Markdown."""
    parts = ["# Guidelines for annotators", "## How to go about it"]
    parts.append("\n".join(f"{number}. {text}" for number, text in enumerate(_HOW, start=1)))
    for one in questions:
        parts.append(f"## {_TITLES[one.track]}")
        parts.append("\n".join(f"- `{name}`: {text}." for name, text in _labels(one)))
        parts.append(f"Categories of `{one.fault}`:")
        parts.append("\n".join(f"- `{name}`: {text}." for name, text in one.categories.items()))
    parts += ["## In files", _IN_FILES]
    return "\n\n".join(parts) + "\n"


def guidelines_html(questions: Iterable[Questionnaire], *, files: bool = True) -> str:
    """The guidelines as one page of HTML without anything to load.

    Args:
        files: Whether to say how files are filled in.
    """

    def listed(items: Iterable[tuple[str, str]]) -> str:
        rows = "".join(
            f"<li><code>{escape(name)}</code>: {escape(text)}.</li>" for name, text in items
        )
        return f"<ul>{rows}</ul>"

    body = ["<h1>Guidelines for annotators</h1>", "<h2>How to go about it</h2>"]
    body.append(f"<ol>{''.join(f'<li>{_code_in_html(text)}</li>' for text in _HOW)}</ol>")
    for one in questions:
        body += [f"<h2>{escape(_TITLES[one.track])}</h2>", listed(_labels(one))]
        body += [f"<p>Categories of <code>{escape(one.fault)}</code>:</p>"]
        body += [listed(one.categories.items())]
    if files:
        body += ["<h2>In files</h2>", f"<p>{_code_in_html(_IN_FILES)}</p>"]
    head = '<meta charset="utf-8"><title>Guidelines for annotators</title>'
    style = "<style>body{max-width:46em;margin:2em auto;font:1em/1.5 sans-serif}</style>"
    page = f"<head>{head}{style}</head><body>{''.join(body)}</body>"
    return f'<!doctype html><html lang="en">{page}</html>\n'


def _labels(questions: Questionnaire) -> list[tuple[str, str]]:
    return [
        (questions.sound, _SOUND[questions.sound]),
        (questions.fault, _FAULT[questions.fault]),
    ]


def _code_in_html(text: str) -> str:
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
