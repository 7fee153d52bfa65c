"""Known test sets: what a recipe may name in a word, where each lies, and how large it is."""

from collections.abc import Mapping
from dataclasses import dataclass

from chainwright.recipe_parts.source_kinds import LabelledFormat, SourceKind


@dataclass(frozen=True)
class Place:
    """A split on the Hub.

    Attributes:
        questions: How many rows its publisher states; None where that is not known.
    """

    hub: str
    split: str
    config: str | None = None
    revision: str | None = None
    questions: int | None = None


@dataclass(frozen=True)
class KnownTestSet:
    """A test set with a name of its own.

    Attributes:
        places: Its splits on the Hub, a set each; none where it has to be given by `path`.
        kind: Of its rows, on the Hub and in its publisher's files.
        question: Column of the question on the Hub, for the kind `generic` alone.
        in_files: The same in its publisher's files, where it is another one.
        format: Of its publisher's files, for the kind `labelled` alone.
    """

    places: tuple[Place, ...] = ()
    kind: SourceKind = "generic"
    question: str = "question"
    in_files: str | None = None
    format: LabelledFormat | None = None


KNOWN_TEST_SETS: Mapping[str, KnownTestSet] = {
    "gsm8k": KnownTestSet((Place("openai/gsm8k", "test", "main", questions=1_319),)),
    "math": KnownTestSet(
        (Place("EleutherAI/hendrycks_math", "test", "*", questions=5_000),), question="problem"
    ),
    "math-500": KnownTestSet(
        (Place("HuggingFaceH4/MATH-500", "test", questions=500),), question="problem"
    ),
    "processbench": KnownTestSet(
        (
            Place("Qwen/ProcessBench", "gsm8k", questions=400),
            Place("Qwen/ProcessBench", "math", questions=1_000),
            Place("Qwen/ProcessBench", "olympiadbench", questions=1_000),
            Place("Qwen/ProcessBench", "omnimath", questions=1_000),
        ),
        question="problem",
    ),
    "prm800k": KnownTestSet(
        (Place("trl-lib/prm800k", "test"),), question="prompt", in_files="question.problem"
    ),
    "musique": KnownTestSet(
        (Place("dgslibisey/MuSiQue", "validation", questions=2_417),), kind="musique"
    ),
    "2wikimultihopqa": KnownTestSet(
        (Place("framolfese/2WikiMultihopQA", "validation", questions=12_576),),
        kind="2wikimultihopqa",
    ),
    "reclor": KnownTestSet(
        (Place("tasksource/reclor", "validation", questions=500),), kind="reclor"
    ),
    "logiqa": KnownTestSet(
        (Place("lucasmccabe/logiqa", "test", revision="refs/convert/parquet", questions=651),),
        kind="logiqa",
    ),
    "logiqa2": KnownTestSet(kind="logiqa2"),
    "perl": KnownTestSet(kind="labelled", format="perl"),
}
"""Test sets by name.

Splits are those whose answers are public: 2WikiMultihopQA, MuSiQue and ReClor keep the answers of
their test splits, so that people evaluate on the development one. PERL and LogiQA 2.0 are no plain
rows on the Hub: their files are given by `path`. The rows of PRM800K are solutions, many of one
question; the Hub's copy is TRL's.
"""
