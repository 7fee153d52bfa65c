"""The tables by name: the one list that files, schemas and validation read."""

from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.human import HumanLabel, HumanRecord
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.posterior import Posterior
from chainwright.schemas.problem import Problem
from chainwright.schemas.problem_vote import ProblemVote
from chainwright.schemas.published import PublishedLabel
from chainwright.schemas.record import Record
from chainwright.schemas.reject import Reject
from chainwright.schemas.release import ReleasedChain
from chainwright.schemas.taxonomy import Taxonomy
from chainwright.schemas.vote import Vote

TABLES: dict[str, type[Record]] = {
    "problems": Problem,
    "candidates": Problem,
    "problem_votes": ProblemVote,
    "chains": Chain,
    "brought": Chain,
    "generated": Chain,
    "parents": Chain,
    "exact": ExactLabel,
    "published": PublishedLabel,
    "sampled": Chain,
    "votes": Vote,
    "posteriors": Posterior,
    "human_labels": HumanLabel,
    "labels": Label,
    "critiques": Critique,
    "human_records": HumanRecord,
    "rejects": Reject,
    "released_chains": ReleasedChain,
    "taxonomy": Taxonomy,
}
