"""Rewards: GRACE's three for reinforcement learning, as functions that TRL's GRPOTrainer calls.

GRACE (arXiv 2606.16151) trains with a reward for the format, one for the answer and one for the
process, the faithfulness of the steps. Each factory here makes a function of that kind. The
trainer calls it with lists by keyword: `prompts`, `completions` and every column of the dataset.
It gives one number a completion, or None where it has nothing to say, which TRL leaves out.

```python
trainer = GRPOTrainer(
    model=model,
    reward_funcs=[format_reward(), answer_f1_reward(), process_reward(program_judge())],
    train_dataset=dataset,  # columns: prompt, answer; perhaps question, context, aliases
    args=GRPOConfig(reward_weights=[0.2, 1.0, 1.0]),
)
```

A completion is the text of an answer, or a list of chat messages whose last one counts. Its steps
and final answer are read in the forms that `chainwright` asks models for: JSON with `steps` and
`final_answer`, tags (`<think>` and `<answer>`), or free text.
"""

from chainwright.rewards.answer import answer_f1_reward
from chainwright.rewards.attempt import Attempt, Completion, Reward, read_attempt
from chainwright.rewards.form import format_reward
from chainwright.rewards.process import StepJudge, process_reward, program_judge

__all__ = [
    "Attempt",
    "Completion",
    "Reward",
    "StepJudge",
    "answer_f1_reward",
    "format_reward",
    "process_reward",
    "program_judge",
    "read_attempt",
]
