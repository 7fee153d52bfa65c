"""Critiques of planted steps: what is wrong with them, in varied wording, by construction.

They have the form that people's or models' critiques have, and their category is known, so a
taxonomy found from critiques, and a judge's categories, can be held against it.
"""

from collections.abc import Iterable, Iterator

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.exact_context import ENGINE
from chainwright.builders.worlds.wording import sentence
from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.words import PlantedError


def planted_critiques(
    chains: Iterable[Chain], *, each: int = 1, seed: int = 0
) -> Iterator[Critique]:
    """Critiques of the planted step of every synthetic negative of a made problem.

    Other chains are passed over. The category itself is not named; it stands in the chain's
    `perturbation` and in the exact labels.

    Args:
        chains: of any kind.
        each: how many critiques a step, each in another wording; the n-th critic is called
            `chainwright:worlds#n`. At most as many as there are wordings of its category.
        seed: of the wording.
    """
    for chain in chains:
        change = chain.perturbation
        if chain.generator != ENGINE or change is None or chain.perturbed_step is None:
            continue
        draw = Draw(seed, "critiques", chain.chain_id)
        wordings = draw.shuffled(_WORDINGS[change.error_type])
        for number, wording in enumerate(wordings[:each], start=1):
            clauses = wording.format(before=change.before, after=change.after).split(" || ")
            yield Critique(
                chain_id=chain.chain_id,
                step=chain.perturbed_step,
                critic=f"{ENGINE}#{number}",
                description=" ".join(sentence(clause) for clause in clauses),
                tags=draw.some(_TAGS[change.error_type], 1 + draw.below(3)),
            )


# Clauses, parted by bars, each of which becomes a sentence.
_WORDINGS: dict[PlantedError, tuple[str, ...]] = {
    "reversed_reasoning": (
        "{before} || the step reads the rule from its end: {after}",
        "having the consequence does not show the condition, but here it is concluded that {after}",
        "the rule is used in the wrong direction || {before}",
        "this infers the cause from its sign, for {before}",
        "that {after}, would hold only if the rule could be turned round, which it cannot",
    ),
    "wrong_argument_reading": (
        "the argument is misread: {before}, yet the step has it that {after}",
        "who claims what is reported wrongly || {after}, says the step; in fact {before}",
        "the step mistakes the position taken in the text, where {before}",
        "it puts the opposite conclusion in a speaker's mouth: {after}",
        "what is argued is not what the step says is argued || {before}",
    ),
    "rule_violation": (
        "the rule is not applied as it stands || {before}, so it cannot be concluded that {after}",
        "{before}; the step passes over that and finds that {after}",
        "what the rule makes depend on something else is settled too fast: {before}",
        "the step breaks the rule that it cites || {before}",
        "it decides that {after} although {before}",
    ),
    "overreaching_claim": (
        "{before}, and the step makes that into a claim about all of them",
        "too strong: from a statement about some the step concludes that {after}",
        "the text is limited in scope || {before}",
        "this generalises beyond what is said: {after}",
        "nothing says that it holds without exception, but the step claims that {after}",
    ),
    "groundedness_violation": (
        "nothing in the passages supports that {after}; {before}",
        "the step makes something up: {after}",
        "where does it say that {after}? || {before}",
        "an addition without a source || {before}, and no change is mentioned",
        "{after}, claims the step, but there is no such information in the context",
    ),
    "contradiction": (
        "{before}, and the step says the reverse: {after}",
        "the step is at odds with its source || {before}",
        "this denies what is written, for {before}",
        "{after} is the opposite of what the text states",
        "the cited text says otherwise || {before}",
    ),
    "confusion": (
        "mixed up || {before}",
        "the step attributes to one what belongs to another: {after}, it says, while {before}",
        "it takes the right kind of fact from the wrong subject || {before}",
        "{after} is wrong; {before}",
        "two entries have been exchanged: {before}",
    ),
    "evidence_neglect": (
        "{before}, although the step asserts that {after}",
        "the evidence is there and is overlooked || {before}",
        "the step claims that {after} || that is not so: {before}",
        "it ignores part of the context, for {before}",
        "missing information is alleged where there is some || {before}",
    ),
}

_TAGS: dict[PlantedError, tuple[str, ...]] = {
    "reversed_reasoning": (
        "converse",
        "wrong direction",
        "affirming the consequent",
        "backward inference",
    ),
    "wrong_argument_reading": ("misreading", "wrong conclusion", "speaker", "argument structure"),
    "rule_violation": ("rule misapplied", "breach of a rule", "wrong application", "terms ignored"),
    "overreaching_claim": ("too strong", "quantifier", "overgeneralisation", "scope"),
    "groundedness_violation": ("unsupported", "invented", "no source", "fabrication"),
    "contradiction": ("contradicts text", "negation", "opposite", "conflict"),
    "confusion": ("mix-up", "wrong entity", "swapped", "misattribution"),
    "evidence_neglect": ("overlooked", "ignored evidence", "false gap", "incomplete reading"),
}
