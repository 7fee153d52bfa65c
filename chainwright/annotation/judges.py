"""The judges that a recipe names, as the panel that they make."""

from typing import TYPE_CHECKING

from chainwright.annotation.checkers.checker_votes import CheckerJudge
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.program_panel import PROGRAMS
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.words import TRACKS, Track

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

Judge = str | CheckerJudge | ModelJudge
"""The name of a program, a checker of the user's own, or a model with its methods."""


def judges_of(recipe: "Recipe") -> list[Judge]:
    """All judges, in the order of the recipe; models take its seed."""
    return [
        _program_or_checker(judge)
        if isinstance(judge, str)
        else ModelJudge(
            parse_model_uri(judge.model),
            error=judge.error,
            # it comes with the errors, in the same request
            premises=None if judge.premises == "one_pass" else judge.premises,
            faithfulness=judge.faithfulness,
            temperature=judge.temperature,
            max_tokens=judge.max_tokens,
            seed=recipe.seed,
            share=judge.share,
            taxonomies=recipe.annotation.taxonomy.taxonomies(),
            leads=recipe.requests.mode == "online",
        )
        for judge in recipe.annotation.panel
    ]


def checkers_of(recipe: "Recipe") -> dict[int, str]:
    """Places of the checkers of the user's own among the judges, and what each is called."""
    return {
        place: judge.path
        for place, judge in enumerate(judges_of(recipe))
        if isinstance(judge, CheckerJudge)
    }


def judge_name(judge: Judge) -> str:
    """What votes and panels call a judge."""
    return f"program:{judge}" if isinstance(judge, str) else judge.name


def reads(judge: Judge, track: Track) -> bool:
    """Whether a judge votes on the chains of a track at all."""
    return judge.reads(track) if isinstance(judge, ModelJudge) else track == "math"


def panel_of(recipe: "Recipe", track: Track) -> list[str]:
    """The names of the judges whose votes count in the tier of a step of a track.

    In math they vote on errors, elsewhere on faithfulness; judges of premises alone do not count.
    """
    return [
        judge_name(judge)
        for judge in judges_of(recipe)
        if reads(judge, track) and (not isinstance(judge, ModelJudge) or judge.counts)
    ]


def panels(recipe: "Recipe") -> dict[Track, list[str]]:
    """The panel of each track."""
    return {track: panel_of(recipe, track) for track in TRACKS}


def observers(recipe: "Recipe") -> list[str]:
    """The names of the judges that read a share of the chains: no label counts their votes."""
    return [
        judge.name
        for judge in judges_of(recipe)
        if isinstance(judge, ModelJudge) and judge.observes
    ]


def votes_expected(judge: Judge, steps: int) -> int:
    """How many votes a judge has on a chain of so many steps, in whatever state they are.

    A checker of the user's own may add premises, one vote a step more.
    """
    if isinstance(judge, CheckerJudge):
        return steps
    if isinstance(judge, str):
        return steps * (2 if PROGRAMS[judge].gives_premises else 1)
    if judge.error == "one_pass":
        return 2 * steps + 1  # an error vote and a premise vote a step, and one on the chain
    parts = (judge.error, judge.premises, judge.faithfulness)
    return steps * sum(part is not None for part in parts)


def _program_or_checker(uri: str) -> str | CheckerJudge:
    provider, _, name = uri.partition(":")
    return CheckerJudge(name) if provider == "python" else name
