"""Show: a chain drawn in the terminal, and the list of chains to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from chainwright.pipeline.screens.chain_card import ChainCard, ChainList
from chainwright.pipeline.screens.terminal import one_line, visible
from chainwright.schemas.label import Label
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import step_label

_GOOD = ("correct", "faithful", "positive", "gold")


def draw_chain(card: ChainCard, screen: Console) -> None:
    """Draws a chain: its problem, then every step with premises, label, tier and votes.

    Text from the dataset is printed as it is, except that control characters are spelled out.
    """
    for line in _head(card):
        screen.print(line)
    for vote in card.votes.get(0, []):
        screen.print(Text("the whole chain: ", style="dim").append_text(_vote(vote)))
    for number, text in enumerate(card.chain.steps, start=1):
        screen.print()
        screen.print(_step_line(card, number))
        screen.print(Padding(Text(visible(text)), (0, 0, 0, 4)))
        for line in _verdicts(card, number):
            screen.print(Padding(line, (0, 0, 0, 6)))


def draw_list(found: ChainList, screen: Console) -> None:
    """Draws a list of chains and says how to see one of them."""
    kind = f"{found.polarity} " if found.polarity else ""
    if not found.chains:
        screen.print(f"run {found.run} holds no {kind}chains")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("chain", "polarity", "origin", "steps", "generator"):
        table.add_column(column, justify="right" if column == "steps" else "left")
    for row in found.chains:
        table.add_row(
            row.chain_id,
            _coloured(row.polarity or "undecided"),
            row.origin,
            str(row.steps),
            Text(one_line(row.generator, 40)),
        )
    screen.print(table)
    first = found.chains[0].chain_id[:10]
    screen.print(
        f"{len(found.chains)} of {found.total} {kind}chains; "
        f"one of them: chainwright show {found.run} {first}"
    )


def _head(card: ChainCard) -> Iterator[Text]:
    chain, problem = card.chain, card.problem
    title = Text(chain.chain_id, style="bold")
    title.append_text(_joined([_coloured(chain.polarity or "undecided"), f"origin {chain.origin}"]))
    title.append_text(
        _joined([f"by {one_line(chain.generator, 60)}", f"tier {card.tier or 'none yet'}"])
    )
    yield title
    if problem is None:
        yield Text(f"problem {chain.problem_id} (not in this run)")
    else:
        where = [problem.source, problem.split, problem.licence, problem.origin_ref]
        yield Text(f"problem {problem.problem_id}").append_text(
            _joined([one_line(part) for part in where if part])
        )
        for passage in problem.context:
            yield Text(f"  [{passage.ref}] {visible(passage.title)}: {visible(passage.text)}")
        yield Text(f"  {visible(problem.question)}")
        for letter, option in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", problem.options, strict=False):
            yield Text(f"  {letter}. {visible(option)}")
    gold = problem.answer if problem else None
    right = {True: "right", False: "wrong", None: "undecided"}[chain.is_correct]
    yield Text(f"answer {_given(chain.final_answer)} ({right}; gold {_given(gold)})")
    if chain.perturbation is not None:
        change = chain.perturbation
        yield Text(
            f"made wrong at step {chain.perturbed_step}: {change.error_type}, "
            f"{visible(change.kind)}: {visible(change.before)} became {visible(change.after)}",
            style="yellow",
        )
    if chain.parent_id is not None:
        yield Text(f"from {chain.parent_id}")


def _step_line(card: ChainCard, number: int) -> Text:
    label, exact = card.labels.get(number), card.exact.get(number)
    known = label or exact
    line = Text(f"{number:>3}", style="bold")
    premises = known.premises if known else None
    if premises is not None:
        line.append(f" <- {', '.join(map(str, premises)) or 'nothing'}", style="cyan")
    if known is not None:
        line.append("  ").append_text(_coloured(_outcome(known.label, known.category)))
    if label is not None:
        line.append(f"  {label.label_source}, {label.tier}", style="dim")
    elif exact is not None:
        line.append("  exact, not judged yet", style="dim")
    else:
        line.append("  no label yet", style="dim")
    if exact is not None and exact.propagated and exact.label == "faithful":
        line.append("  propagated", style="yellow")  # in math its label says so
    if number == card.chain.perturbed_step:
        line.append("  made wrong here", style="yellow")
    citations = card.chain.citations
    if number <= len(citations) and citations[number - 1]:
        line.append(
            f"  cites {', '.join(f'[{ref}]' for ref in citations[number - 1])}", style="cyan"
        )
    return line


def _verdicts(card: ChainCard, number: int) -> Iterator[Text]:
    label, exact = card.labels.get(number), card.exact.get(number)
    if label is not None and label.votes:
        yield _panel(label, exact is not None)
    for vote in card.votes.get(number, []):
        yield _vote(vote)


def _panel(label: Label, is_exact: bool) -> Text:
    panel = _outcome(label.panel_label, label.panel_category)
    line = Text("panel: ", style="dim").append_text(_coloured(panel))
    if label.reason:
        line.append(f" ({visible(label.reason)})", style="dim")
    if label.panel_premises is not None and label.panel_premises != label.premises:
        line.append(
            f", premises {', '.join(map(str, label.panel_premises)) or 'none'}", style="cyan"
        )
    if is_exact and (label.panel_label, label.panel_category) != (label.label, label.category):
        line.append(
            f"  against {_outcome(label.label, label.category)} by construction", style="yellow"
        )
    return line


def _vote(vote: Vote) -> Text:
    line = Text(f"{visible(vote.judge)} ", style="dim")
    if vote.status != "ok":
        line.append(f"{vote.task}: {vote.status}", style="yellow")
    elif vote.task == "premises":
        line.append(f"premises: {', '.join(map(str, vote.premises or [])) or 'none'}", style="cyan")
    else:
        line.append_text(_coloured(_outcome(vote.label, vote.category)))
    if vote.explanation:
        line.append(f"  {visible(vote.explanation)}", style="default")
    return line


def _outcome(label: str | None, category: str | None) -> str:
    return step_label(label, category) or label or "undecided"


def _coloured(word: str) -> Text:
    style = "green" if word in _GOOD else "yellow" if word == "undecided" else "red"
    return Text(visible(word), style=style)


def _joined(parts: Sequence[str | Text]) -> Text:
    line = Text()
    for part in parts:
        line.append(" · ", style="dim").append_text(part if isinstance(part, Text) else Text(part))
    return line


def _given(answer: str | None) -> str:
    return "none" if answer is None else one_line(answer, 60)
