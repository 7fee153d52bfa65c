"""Ray clustering: vectors to clusters on the machine of a cluster that has most processors.

It is one task, since clusters come of all vectors together: 30,000 texts are 46 MB.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from chainwright.pipeline.cluster.ray_connection import reason
from chainwright.pipeline.errors import RunStopped
from chainwright.taxonomy.clustering import Clustering, Settings, TooFewTexts, cluster
from chainwright.taxonomy.extra import MissingExtra, Tell

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


def cluster_on_ray(vectors: Vectors, settings: Settings, tell: Tell) -> Clustering:
    """The clusters of texts, with a sweep, made on the connected cluster (see `cluster`).

    Labels are those of this machine wherever the libraries and the kind of processor are the same.

    Raises:
        TooFewTexts: for fewer than 12 rows.
        MissingExtra: when the node lacks a library; it is named.
        RunStopped: when the cluster cannot be used any more.
    """
    import ray
    from ray.exceptions import RayError

    processors = max(int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"])
    what = "1 processor" if processors == 1 else f"{processors} processors"
    tell(f"clustering on the Ray cluster, where a node has {what}")
    task = ray.remote(num_cpus=processors, max_retries=3)(_clustered)
    try:
        found: Clustering | TooFewTexts | MissingExtra = ray.get(task.remote(vectors, settings))
    except RayError as error:
        raise RunStopped(
            f"texts could not be clustered on the Ray cluster ({reason(error)}); their "
            "vectors are kept, and the same command goes on from there"
        ) from error
    if isinstance(found, Exception):
        raise found
    return found


def _clustered(vectors: Vectors, settings: Settings) -> Clustering | TooFewTexts | MissingExtra:
    """On a worker: the clusters, or why there are none."""
    try:
        return cluster(vectors, settings, sweep=True)
    except TooFewTexts as error:
        return error
    except MissingExtra as error:
        return MissingExtra(f"node {socket.gethostname()}: {error}")
