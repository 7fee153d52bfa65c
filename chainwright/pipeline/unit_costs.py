"""Unit costs: what a trace takes where no run of its recipe was measured.

The commands that measured them stand in docs/planning.md.
"""

SECONDS = {
    "problems": 0.0001,
    "variants": 0.0018,
    "chains": 0.0004,
    "negatives": 0.0022,
    "votes": 0.0010,
    "labels": 0.0004,
    "statistics": 0.0004,
    "release": 0.0012,
}
"""Of the processor, a trace: `Scale` in docs/performance.md, the larger builds."""
OTHER_SECONDS = 0.001
SERIAL = ("problems", "statistics", "release")
"""Stages that one process runs, however many workers there are."""
RUN_BYTES, RELEASE_BYTES, REQUEST_BYTES = 300, 4_400, 4_000
"""On disk, of a trace in the tables, of one in the release, and of a request in the ledger."""
FEW = 10_000
"""A run of fewer traces overstates what one costs, as starting takes its time too."""
LATENCY = 3.0
"""Seconds until a model has answered, where nothing was measured."""
BATCH_HOURS = 24.0
"""What providers promise for a batch; a stage that asks models waits for one round of them."""
