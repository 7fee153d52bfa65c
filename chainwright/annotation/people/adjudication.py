"""Adjudication: the steps that annotators differ on, for somebody else to decide."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from chainwright.annotation.people.assignment import PlannedTask, task_id
from chainwright.annotation.people.records import Key
from chainwright.annotation.people.settling import settle
from chainwright.schemas.human import HumanRecord
from chainwright.schemas.identity import place

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What answers are called, in the order they are shown."""


def adjudication_tasks(
    standing: Mapping[Key, HumanRecord],
    read_as: Mapping[str, PlannedTask],
    adjudicator: str,
    round_: int,
    seed: int,
) -> list[PlannedTask]:
    """One task a chain with open steps; who gave answer A is drawn for each task anew.

    Args:
        standing: All answers that stand.
        read_as: A task of an earlier round for each chain.
        adjudicator: Who is to decide.
        round_: The round of the adjudication.
        seed: Of the draw.

    Raises:
        ValueError: The adjudicator has answered on such a chain already.
    """
    open_steps: dict[str, list[int]] = defaultdict(list)
    people: dict[str, set[str]] = defaultdict(set)
    for (chain_id, step), label in settle(standing).items():
        if label.settled == "open":
            open_steps[chain_id].append(step)
            people[chain_id].update(answer.annotator for answer in label.answers)
    own = sorted(chain_id for chain_id, names in people.items() if adjudicator in names)
    if own:
        raise ValueError(
            f"`{adjudicator}` has answered on {len(own)} of the chains to decide (such as "
            f"{own[0]}), expected an adjudicator who has not read them"
        )
    tasks = []
    for chain_id, steps in open_steps.items():
        former = read_as[chain_id]
        task = task_id(round_, adjudicator, chain_id, seed)
        names = _lettered(people[chain_id], task, seed)
        tasks.append(
            former.model_copy(
                update={
                    "task": task,
                    "annotator": adjudicator,
                    "asked": sorted(steps),
                    "shown_answers": names,
                }
            )
        )
    return sorted(tasks, key=lambda one: (one.track, one.steps, one.task))


def _lettered(names: Iterable[str], task: str, seed: int) -> list[str]:
    """The names in the order of the letters that stand for them."""
    return sorted(names, key=lambda name: place("letter", seed, task, name))
