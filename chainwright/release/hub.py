"""Hub: a release sent to a dataset repository of the Hub, only as far as it is not there yet."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from chainwright import __version__
from chainwright.release.hub_faults import HubRefused, plainly, public_endpoint

if TYPE_CHECKING:
    from huggingface_hub import HfApi

OWN = ("data/", "perl/", "schema/", "contamination.jsonl", "rebuild.yaml")
"""What of a repository is a release's own: what a new release has not is removed there."""

DEFAULT_ENDPOINT = "https://huggingface.co"


@dataclass(frozen=True)
class RemoteFile:
    """A file in a repository: its size in bytes and its SHA-256 or, unless kept by LFS, git id."""

    size: int
    sha256: str | None
    git_id: str


@dataclass(frozen=True)
class Remote:
    """A dataset repository as it is.

    Attributes:
        private: Whether only its owners may see it.
        head: Id of the last commit.
        files: Files of that commit by path.
        tags: Commits by tag.
    """

    private: bool
    head: str
    files: Mapping[str, RemoteFile]
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Changes:
    """What it takes to make a repository the release: paths, sorted, and the bytes to send."""

    send: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    bytes: int = 0

    @property
    def none(self) -> bool:
        """Whether the repository is the release already."""
        return not self.send and not self.remove


def endpoint() -> str:
    """Address of the Hub: HF_ENDPOINT, or the public one."""
    return (os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT).rstrip("/")


def connect(*, bars: bool) -> HfApi:
    """A client of the Hub.

    The token is found by the client itself with each request, in HF_TOKEN or where `hf auth login`
    keeps it; it is held nowhere here. Its log is silenced, since it quotes addresses that are
    signed.

    Args:
        bars: Whether it may draw bars of progress on a terminal.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.utils.logging import set_verbosity
    from huggingface_hub.utils.tqdm import disable_progress_bars

    set_verbosity(logging.ERROR)
    if not bars:
        disable_progress_bars()
    return HfApi(endpoint=endpoint(), library_name="chainwright", library_version=__version__)


def user_of(api: HfApi, repo: str) -> str:
    """The name of whoever the token belongs to.

    Raises:
        HubRefused: No token, one the Hub does not know, or no Hub at the endpoint.
    """
    from huggingface_hub.errors import HfHubHTTPError

    with plainly(repo, "logging in to the Hub", api.endpoint):
        try:
            name = api.whoami().get("name")
        except HfHubHTTPError as error:
            if error.response.status_code != 404:
                raise
            name = None
    if not isinstance(name, str):
        told = public_endpoint(api.endpoint)
        raise HubRefused(f"what answers at {told} is no Hub; correct HF_ENDPOINT")
    return name


def look(api: HfApi, repo: str, revision: str | None = None) -> Remote | None:
    """A repository as it is at a revision; None where there is none that the token may see.

    Raises:
        HubRefused: There is no such revision.
        HubInterrupted: The Hub did not answer.
    """
    from huggingface_hub.errors import RepositoryNotFoundError
    from huggingface_hub.hf_api import RepoFile

    with plainly(repo, f"looking at {repo}", api.endpoint):
        try:
            info = api.dataset_info(repo, revision=revision)
        except RepositoryNotFoundError:
            return None
        head = info.sha or ""
        tree = api.list_repo_tree(repo, recursive=True, revision=head, repo_type="dataset")
        files = {
            one.path: RemoteFile(one.size, one.lfs.sha256 if one.lfs else None, one.blob_id)
            for one in tree
            if isinstance(one, RepoFile)
        }
        tags = api.list_repo_refs(repo, repo_type="dataset").tags
    return Remote(bool(info.private), head, files, {one.name: one.target_commit for one in tags})


def changes(folder: Path, paths: Sequence[str], remote: Remote | None) -> Changes:
    """What has to be sent and removed, by content.

    Args:
        folder: The release.
        paths: Its files, relative to it.
        remote: The repository; None where it is still to be made.
    """
    there = remote.files if remote else {}
    send = [path for path in sorted(paths) if not is_same(folder / path, there.get(path))]
    known = set(paths)
    return Changes(
        send=send,
        remove=sorted(p for p in there if p.startswith(OWN) and p not in known),
        same=sorted(known - set(send)),
        bytes=sum((folder / path).stat().st_size for path in send),
    )


def is_same(path: Path, there: RemoteFile | None) -> bool:
    """Whether a file here has the bytes of one in a repository."""
    if there is None or path.stat().st_size != there.size:
        return False
    with path.open("rb") as file:
        if there.sha256 is not None:
            return hashlib.file_digest(file, "sha256").hexdigest() == there.sha256
        git = hashlib.sha1(b"blob %d\0" % there.size, usedforsecurity=False)
        git.update(file.read())
        return git.hexdigest() == there.git_id


def send(
    api: HfApi, repo: str, folder: Path, what: Changes, *, parent: str | None, message: str
) -> tuple[str, list[str]]:
    """Send files and remove others in one commit, so that no reader ever meets half a release.

    Large files go first, each by itself; those that arrived are not sent again when the rest fails
    and the same is sent once more. The commit is the last step.

    Args:
        api: The client.
        repo: ORG/NAME, which exists.
        folder: The release.
        what: Of `changes`.
        parent: The commit that `what` was computed from; another one refuses the commit.
        message: First line of the commit's message.

    Returns:
        The commit's id, and what the Hub remarked on the card's metadata.

    Raises:
        HubRefused: The Hub refused it.
        HubInterrupted: The exchange broke off, or the repository changed meanwhile.
    """
    import warnings

    from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete

    operations: list[CommitOperationAdd | CommitOperationCopy | CommitOperationDelete] = [
        *(CommitOperationAdd(path, str(folder / path)) for path in what.send),
        *(CommitOperationDelete(path, is_folder=False) for path in what.remove),
    ]
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always", UserWarning)
        with plainly(repo, f"sending files to {repo}", api.endpoint):
            commit = api.create_commit(
                repo,
                operations,
                commit_message=message,
                repo_type="dataset",
                parent_commit=parent,
                num_threads=2,
            )
    found = [str(one.message) for one in remarks if "README.md" in str(one.message)]
    return commit.oid, found


def make_repo(api: HfApi, repo: str, *, private: bool) -> None:
    """Make a dataset repository.

    Raises:
        HubRefused: The token may not, or there is one that it may not see.
        HubInterrupted: The Hub did not answer.
    """
    with plainly(repo, f"making {repo}", api.endpoint):
        api.create_repo(repo, repo_type="dataset", private=private)


def head(api: HfApi, repo: str) -> str | None:
    """Id of a repository's last commit.

    Raises:
        HubInterrupted: The Hub did not answer.
    """
    with plainly(repo, f"looking at {repo}", api.endpoint):
        return api.dataset_info(repo).sha


def make_public(api: HfApi, repo: str) -> None:
    """Let everyone see a repository.

    Raises:
        HubRefused: The token may not.
    """
    with plainly(repo, f"making {repo} public", api.endpoint):
        api.update_repo_settings(repo, repo_type="dataset", private=False)


def tag(api: HfApi, repo: str, name: str, commit: str) -> None:
    """Give a commit a tag.

    Raises:
        HubRefused: The token may not.
        HubInterrupted: The Hub did not answer, or the tag appeared meanwhile.
    """
    with plainly(repo, f"tagging {repo} as {name}", api.endpoint):
        api.create_tag(repo, tag=name, revision=commit, repo_type="dataset")
