"""Hub pull: a release fetched from the Hub, whole and checked against its own manifest."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from chainwright.release.folder import FORMAT, new_release
from chainwright.release.hub import Remote, RemoteFile, is_same
from chainwright.release.hub_faults import HubInterrupted, HubRefused, plainly

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_HUB_OWN = (".gitattributes", ".gitignore")


@dataclass(frozen=True)
class Fetched:
    """What was fetched: files and bytes in all, and how many files had to be downloaded."""

    files: int
    bytes: int
    downloaded: int


def fetch(api: HfApi, repo: str, remote: Remote, folder: Path) -> Fetched:
    """Fetch a release into a folder, all of it or nothing.

    Files are downloaded beside the folder; what arrived before a failure is used by the next try.
    The folder is replaced when everything is there and has the hashes that `manifest.json` tells.
    A folder that holds these very files already stays as it is.

    Args:
        api: The client.
        repo: ORG/NAME.
        remote: The repository at the revision wanted.
        folder: Where the release goes.

    Raises:
        FileExistsError: `folder` holds something other than a release.
        HubRefused: The repository holds no release, or one that is not what its manifest says.
        HubInterrupted: The exchange broke off.
    """
    wanted = released_files(remote)
    if "manifest.json" not in wanted:
        raise HubRefused(f"{repo} holds no release of chainwright (no manifest.json)")
    size = sum(one.size for one in wanted.values())
    here = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    if here == set(wanted) and all(is_same(folder / path, wanted[path]) for path in wanted):
        return Fetched(len(wanted), size, 0)
    coming = folder.with_name(f".{folder.name}.pulling")
    with plainly(repo, f"fetching {repo}", api.endpoint):
        api.snapshot_download(
            repo,
            repo_type="dataset",
            revision=remote.head,
            local_dir=coming,
            ignore_patterns=list(_HUB_OWN),
            max_workers=4,
        )
    missing = sorted(path for path in wanted if not (coming / path).is_file())
    if missing:
        raise HubInterrupted(
            f"fetching {repo}: {missing[0]} did not arrive; the same command goes on from there"
        )
    try:
        check_files(coming, read_manifest(coming, repo), repo)
    except HubRefused:
        shutil.rmtree(coming, ignore_errors=True)
        raise
    with new_release(folder) as fresh:
        for path in wanted:
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            (coming / path).rename(fresh / path)
    shutil.rmtree(coming, ignore_errors=True)
    return Fetched(len(wanted), size, len(wanted))


def released_files(remote: Remote) -> dict[str, RemoteFile]:
    """The files of a repository that are not the Hub's own."""
    return {path: one for path, one in remote.files.items() if path not in _HUB_OWN}


def read_manifest(folder: Path, name: str) -> dict[str, Any]:
    """The manifest of a release.

    Args:
        folder: The release.
        name: What the message calls it.

    Raises:
        HubRefused: There is none, or it is of something else.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if manifest["format"] == FORMAT and isinstance(manifest["files"], list):
            return dict(manifest)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise HubRefused(f"{name} holds no release of chainwright (no manifest.json with {FORMAT!r})")


def check_files(folder: Path, manifest: Mapping[str, Any], name: str) -> list[str]:
    """The files of a release by path, each with the hash that its manifest tells.

    Raises:
        HubRefused: with the first file that is missing or differs, or whose path leads out.
    """
    paths = []
    for entry in manifest["files"]:
        path = PurePosixPath(str(entry.get("path")))
        if path.is_absolute() or ".." in path.parts:
            raise HubRefused(f"{name}: manifest.json names {path}, which leads out of the release")
        file = folder / path
        if not file.is_file():
            raise HubRefused(f"{name}: {path} of manifest.json is missing")
        with file.open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != entry.get("sha256"):
                raise HubRefused(f"{name}: {path} is not the file that manifest.json tells of")
        paths.append(path.as_posix())
    return [*paths, "manifest.json"]
