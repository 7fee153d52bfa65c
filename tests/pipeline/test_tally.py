import io

import pytest

from chainwright.llm.meter import ModelTally, together
from chainwright.llm.request import Answer, Usage
from chainwright.pipeline.screens.report import StageReport, model_table
from chainwright.pipeline.screens.terminal import console


def answers() -> list[Answer]:
    usage = Usage(input_tokens=10, output_tokens=4)
    return [
        Answer("a", "ok", "x", usage=usage, cost=0.25),
        Answer("b", "ok", "x", usage=usage, cost=0.25, from_ledger=True),
        Answer("c", "refused", "", usage=usage),
        Answer("d", "failed", "", error="no"),
        Answer("e", "failed", "", error="too long", too_long=True),
    ]


def counted() -> ModelTally:
    tally = ModelTally()
    for answer in answers():
        if answer.from_ledger:
            tally.count_found(answer)
        else:
            tally.count_sent(answer, attempts=2)
    return tally


def test_only_what_was_sent_costs() -> None:
    assert counted() == ModelTally(
        sent=2,
        from_ledger=1,
        refused=1,
        failed=2,
        too_long=1,
        input_tokens=20,
        output_tokens=8,
        cost_usd=0.25,
        saved_usd=0.25,
        unpriced=1,
        attempts=8,
    )
    assert (counted().done, counted().to_ask_again) == (5, 1)


def test_sums() -> None:
    assert together([]) == ModelTally()
    total = together([counted(), counted()])
    assert (total.sent, total.cost_usd, total.done) == (4, 0.5, 10)


@pytest.mark.parametrize(
    ("tally", "words"),
    [
        (ModelTally(), "0.0000 USD"),
        (ModelTally(sent=1, cost_usd=0.5), "0.5000 USD"),
        (ModelTally(sent=2, cost_usd=0.5, unpriced=1), "0.5000 USD or more"),
        (ModelTally(sent=1, unpriced=1), "cost unknown"),
    ],
)
def test_cost_in_words(tally: ModelTally, words: str) -> None:
    assert tally.cost_in_words == words


def test_the_table_has_a_line_a_stage_and_model_and_a_sum() -> None:
    reports = [
        StageReport("chains", 1, 1, 1, 0, 0.0, []),
        StageReport("votes", 1, 1, 1, 0, 0.0, [], {"openai:b": counted(), "openai:a": counted()}),
    ]
    stream = io.StringIO()
    console(stream).print(model_table(reports))
    lines = [line.split() for line in stream.getvalue().splitlines()[1:]]
    row = ["2", "1", "2", "20", "8", "0.2500", "USD", "or", "more"]
    assert lines == [
        ["votes", "openai:a", *row],
        ["votes", "openai:b", *row],
        ["all", "4", "2", "4", "40", "16", "0.5000", "USD", "or", "more"],
    ]
