"""Rewards: what each gives, called as TRL's GRPOTrainer calls them, and in that trainer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chainwright.rewards import (
    Attempt,
    Reward,
    answer_f1_reward,
    format_reward,
    process_reward,
    program_judge,
    read_attempt,
)
from tests.tiny_model import tiny_model


def answer(steps: list[str], final_answer: str | None = "4") -> str:
    return json.dumps({"steps": steps, "final_answer": final_answer})


def rewards(reward: Reward, *completions: Any, **columns: Any) -> list[float | None]:
    """Calls a reward as the trainer does, with what it adds for itself."""
    given = {key: [value] * len(completions) for key, value in columns.items()}
    return reward(
        prompts=["2 + 2?"] * len(completions),
        completions=list(completions),
        completion_ids=[[1, 2]] * len(completions),
        trainer_state=object(),
        log_extra=print,
        log_metric=print,
        **given,
    )


@pytest.mark.parametrize(
    ("completion", "fits"),
    [
        (answer(["2+2=4."]), True),
        ([{"role": "assistant", "content": answer(["2+2=4."])}], True),
        ([{"role": "assistant", "content": [{"type": "text", "text": answer(["4"])}]}], True),
        ("Sure: " + answer(["2+2=4."]), False),
        (answer([]), False),
        (answer([" "]), False),
        (answer(["2+2=4."], ""), False),
        (answer(["2+2=4."], None), False),
        ("[1]", False),
        ("", False),
        ([], False),
        ("[" * 100_000, False),
    ],
)
def test_the_form_is_json_and_nothing_around_it(completion: Any, fits: bool) -> None:
    assert rewards(format_reward(), completion) == [float(fits)]
    assert rewards(format_reward(right=0.5, wrong=-1), completion) == [0.5 if fits else -1]


@pytest.mark.parametrize(
    ("completion", "fits"),
    [
        ("<think>2+2=4.</think>\n<answer>4</answer>", True),
        ("<think></think><answer>4</answer>", False),
        ("<think>2+2=4.</think><answer> </answer>", False),
        ("Well <think>2+2=4.</think><answer>4</answer>", False),
        ("<think>a<think>b</think></think><answer>4</answer>", False),
        ("<think>2+2=4.</think>", False),
    ],
)
def test_tags_stand_once_each_and_nothing_around_them(completion: str, fits: bool) -> None:
    assert rewards(format_reward("tags"), completion) == [float(fits)]


def test_the_number_of_steps_and_citations_may_be_asked_for() -> None:
    one, three = answer(["a [1]"]), answer(["a", "b", "c"])
    assert rewards(format_reward(min_steps=2), one, three) == [0.0, 1.0]
    assert rewards(format_reward(max_steps=2), one, three) == [1.0, 0.0]
    context = ["only one"]
    cited = [answer(["a [1]"]), answer(["a [2]"]), answer(["a"])]
    assert rewards(format_reward(cite=True), *cited, context=context) == [1.0, 0.0, 0.0]


def test_the_answer_gets_its_word_f1() -> None:
    given = [answer(["a"], "Clark University"), answer(["a"], "the university"), "I can't say."]
    exact, half, none = rewards(answer_f1_reward(), *given, answer="Clark University")
    assert (exact, none) == (1.0, 0.0)
    assert half == pytest.approx(2 / 3)
    assert rewards(answer_f1_reward(threshold=1), given[1], answer="Clark University") == [0.0]
    assert rewards(answer_f1_reward(), given[1], answer="x", aliases=["University"]) == [1.0]
    assert rewards(answer_f1_reward(), given[0], answer=None) == [None]
    with pytest.raises(KeyError, match=r"no column 'gold'; there are: .*answer"):
        rewards(answer_f1_reward(answer="gold"), given[0], answer="x")


def sound_until(count: int) -> Any:
    """A scripted judge: that many sound steps, then unsound ones; the last is undecided."""

    def judge(attempt: Attempt) -> list[bool | None]:
        verdicts: list[bool | None] = [at < count for at in range(len(attempt.steps))]
        return [*verdicts[:-1], None]

    return judge


def test_the_process_gets_the_share_of_sound_steps() -> None:
    four = answer(["a", "b", "c", "d"])
    assert rewards(process_reward(sound_until(2)), four) == [pytest.approx(2 / 3)]
    assert rewards(process_reward(sound_until(2), undecided=0), four) == [0.5]
    assert rewards(process_reward(sound_until(0), share="first_error"), four) == [0.0]
    assert rewards(process_reward(sound_until(1), share="first_error", undecided=1), four) == [0.25]
    assert rewards(process_reward(sound_until(3), share="all"), four) == [1.0]
    assert rewards(process_reward(sound_until(2), share="all"), four) == [0.0]
    assert rewards(process_reward(sound_until(0)), answer(["a"]), answer([])) == [None, 0.0]
    assert rewards(process_reward(sound_until(0), no_steps=None), "") == [None]


def test_the_judge_sees_question_context_and_columns() -> None:
    seen: list[Attempt] = []

    def judge(attempt: Attempt) -> Sequence[bool | None]:
        seen.append(attempt)
        return [True] * len(attempt.steps)

    passages = [{"title": "T", "text": "one"}, "two"]
    rewards(process_reward(judge), answer(["a"]), context=passages, level=3)
    (attempt,) = seen
    assert attempt.question == "2 + 2?"
    assert attempt.context == ("T\none", "two")
    assert attempt.columns["level"] == 3
    assert "trainer_state" not in attempt.columns
    rewards(process_reward(judge), answer(["a"]), question="asked")
    assert seen[-1].question == "asked"


def test_programs_judge_arithmetic_without_a_model() -> None:
    reward = process_reward(program_judge(), name="arithmetic")
    assert reward.__name__ == "arithmetic_reward"
    right, wrong, none = rewards(
        reward, answer(["2 + 2 = 4."]), answer(["2 + 2 = 5.", "5 - 1 = 4."]), answer(["So four."])
    )
    assert (right, wrong, none) == (1.0, 0.5, None)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: format_reward("yaml"), "form is 'yaml', expected json or tags"),  # type: ignore[arg-type]
        (lambda: format_reward(min_steps=0), "no number of steps is between 0 and None"),
        (lambda: format_reward(min_steps=3, max_steps=2), "between 3 and 2"),
        (lambda: answer_f1_reward(threshold=2), "threshold is 2, expected 0 to 1"),
        (lambda: process_reward(sound_until(1), share="sum"), "share is 'sum'"),  # type: ignore[arg-type]
        (lambda: program_judge("logic"), "no program 'logic'; there are: arithmetic"),
    ],
)
def test_impossible_rewards_are_refused_as_they_are_made(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_judge_that_gives_too_few_values_is_told() -> None:
    with pytest.raises(ValueError, match="the judge gave 0 values for 1 steps"):
        rewards(process_reward(lambda attempt: []), answer(["a"]))


def test_a_completion_is_text_or_messages() -> None:
    with pytest.raises(TypeError, match="a completion is int"):
        rewards(format_reward(), 3)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("```json\n" + answer(["a"], "b") + "\n```", (["a"], "b")),
        ("First 2+2=4.\nThen done.\nThe answer is: 4", (["First 2+2=4.", "Then done."], "4")),
        ("", ([], None)),
        ("No numbers here", (["No numbers here"], None)),
    ],
)
def test_steps_and_answer_are_read_in_whatever_form(
    text: str, parts: tuple[list[str], str | None]
) -> None:
    assert read_attempt(text) == parts


def test_trl_trains_a_tiny_random_model_with_them(tmp_path: Path) -> None:
    """Two steps of GRPOTrainer on CPU with a model of a few thousand weights."""
    pytest.importorskip("torch")
    trl = pytest.importorskip("trl")
    datasets = pytest.importorskip("datasets")
    model, tokenizer = tiny_model()
    functions = [
        format_reward(wrong=0.1),
        answer_f1_reward(),
        process_reward(program_judge(), no_steps=None),
    ]
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=functions,
        processing_class=tokenizer,
        train_dataset=datasets.Dataset.from_list([{"prompt": "2 + 2 = ?", "answer": "4"}] * 4),
        args=trl.GRPOConfig(
            output_dir=str(tmp_path),
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=8,
            max_steps=2,
            logging_steps=1,
            report_to=[],
            use_cpu=True,
            bf16=False,
            save_strategy="no",
            disable_tqdm=True,
        ),
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logged) == 2
    names = {"format_json_reward", "answer_f1_reward", "process_reward"}
    assert {f"rewards/{name}/mean" for name in names} <= logged[0].keys()
