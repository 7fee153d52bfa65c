"""Filters: which sound rows of a source are wanted at all."""

from collections.abc import Sequence

from chainwright.builders.fields import Refused
from chainwright.recipe_parts.sources import Source
from chainwright.schemas.problem import Passage


def check_wanted(
    source: Source,
    context: Sequence[Passage],
    *,
    question_type: str | None = None,
    hops: int | None = None,
) -> None:
    """Refuse a row that the source's filters leave out.

    Args:
        source: Whose filters, with the defaults of its kind.
        context: Its length is that of all passages, titles aside.
        question_type: The row's own type; null = it has none.
        hops: How many facts the question chains; null = not known, which passes no minimum.

    Raises:
        Refused: `type_not_wanted`, `too_few_hops`, `context_too_short`.
    """
    least = source.hops_wanted
    if source.types_wanted:
        wanted = {one.type: one for one in source.types_wanted}
        if question_type not in wanted:
            found = f"the question is of type `{question_type}`"
            raise Refused("type_not_wanted", f"{found}; wanted are {', '.join(wanted)}")
        least = wanted[question_type].min_hops or least
    if least and (hops is None or hops < least):
        found = "an unknown number of" if hops is None else str(hops)
        raise Refused("too_few_hops", f"the question takes {found} hops, wanted are {least}")
    length = sum(len(passage.text) for passage in context)
    if length < source.context_wanted:
        expected = f"wanted are {source.context_wanted}"
        raise Refused("context_too_short", f"the context has {length} characters, {expected}")
