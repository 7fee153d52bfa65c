"""Made problems for tests, as strategies and as plain values."""

from hypothesis import strategies as st

from chainwright.builders.worlds.exact_context import made_problem
from chainwright.builders.worlds.made import TRACKS, Made, WorldKey
from chainwright.builders.worlds.rows import world_problem
from chainwright.recipe import Source
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import Track

SOURCE = Source(kind="worlds", name="made", path="builtin:context")


def made(track: Track, number: int, seed: int = 7) -> Made:
    return made_problem(WorldKey(track, seed, number))


def as_problem(one: Made) -> Problem:
    return world_problem({"world": str(one.key)}, SOURCE, "test")


def keys(*tracks: Track) -> st.SearchStrategy[WorldKey]:
    return st.builds(
        WorldKey,
        track=st.sampled_from(tracks or TRACKS),
        seed=st.integers(0, 10**9),
        number=st.integers(0, 10**6),
    )
