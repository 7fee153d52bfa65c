"""Ray embedding: texts to vectors on all machines of a cluster, on GPUs where there are any.

What is taken apart is one chunk of texts after the other, so that the cache is written as ever.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.cluster.ray_connection import reason
from chainwright.pipeline.errors import RunStopped
from chainwright.taxonomy.embedding import BATCH, Embedder, EmbedderError, sentence_embedder
from chainwright.taxonomy.extra import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

PIECE = 4 * BATCH
"""Texts of one task."""


class RayEmbedder:
    """A model of sentence-transformers that every worker of the connected cluster loads once.

    Vectors are those of the local embedder but for the last bits of a float: which texts share a
    batch, and so its padding, may differ.

    Args:
        model: As for `sentence_embedder`; a folder has to be on every node.
    """

    def __init__(self, model: str) -> None:
        import ray

        self.name = model
        found = ray.cluster_resources()
        self._gpus = int(found.get("GPU", 0))
        self._slots = max(1, self._gpus or int(found.get("CPU", 0)))
        wanted = {"num_gpus": 1} if self._gpus else {"num_cpus": 1}
        # Vectors can be made again anywhere: Ray may do so by itself when a node is lost.
        self._task = ray.remote(max_retries=3, **wanted)(_vectors)

    @property
    def at_once(self) -> int:
        """Texts that keep the whole cluster busy."""
        return PIECE * self._slots

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`.

        Raises:
            EmbedderError: when a worker cannot load the model.
            RunStopped: when the cluster cannot be used any more.
        """
        import numpy as np
        import ray
        from ray.exceptions import RayError

        pieces = [list(texts[at : at + PIECE]) for at in range(0, len(texts), PIECE)]
        device = "cuda" if self._gpus else "cpu"
        try:
            made = ray.get([self._task.remote(self.name, device, piece) for piece in pieces])
        except RayError as error:
            raise RunStopped(
                f"texts could not be embedded on the Ray cluster ({reason(error)}); what "
                "was embedded is kept, and the same command goes on from there"
            ) from error
        for one in made:
            if isinstance(one, str):
                raise EmbedderError(one)
        return np.concatenate(made)


def _vectors(model: str, device: str, texts: list[str]) -> Any:
    """On a worker: the vectors, or why there are none."""
    try:
        return _embedder(model, device).encode(texts)
    except (EmbedderError, MissingExtra) as error:
        return f"node {socket.gethostname()}: {error}"


@cache
def _embedder(model: str, device: str) -> Embedder:
    return sentence_embedder(model, device=device)
