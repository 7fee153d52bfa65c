"""Publishing: a run's release sent to the Hub, and a release fetched from there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.run_folder import RunFolder, held
from chainwright.pipeline.screens.publishing import Pulled, Pushed
from chainwright.pipeline.validation.validate import validate
from chainwright.release import hub
from chainwright.release.hub_faults import HubInterrupted, HubRefused, public_endpoint
from chainwright.release.hub_pull import check_files, fetch, read_manifest, released_files
from chainwright.release.leaks import leaks
from chainwright.release.licences import LicenceRefusedError, check_publication
from chainwright.release.published import licences_below, published_recipe

if TYPE_CHECKING:
    from huggingface_hub import HfApi

Say = Callable[[str], None]
"""Takes a line of progress."""

Ask = Callable[[str], bool]
"""Puts a question to whoever is there."""

_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}")
_BY_ITSELF = (".gitattributes", ".gitignore", "README.md", "LICENSE")
"""Files of a repository that holds nothing yet."""


def push(
    run: str,
    repo: str,
    runs: Path,
    *,
    public: bool,
    yes: bool,
    dry_run: bool,
    ask: Ask | None,
    say: Say,
    bars: bool = True,
) -> Pushed:
    """Sends the release of a run to a dataset repository, as far as it is not there yet.

    Before anything is sent the release is checked: every row, the hash of every file, the licences,
    and that neither a key nor a place of this machine is in it.

    Args:
        run: A run folder, or a run's name.
        repo: ORG/NAME.
        runs: Folder of the runs.
        public: Whether everyone may see it; a new repository is private otherwise.
        yes: Whether it is agreed to that everyone may.
        dry_run: Whether to look only.
        ask: Asks whoever is there; None where nobody is.
        say: Takes lines of progress.
        bars: Whether bars of progress may be drawn on a terminal.

    Raises:
        InputMistake: when the release may not be sent as it is, or the Hub refuses it.
        RunStopped: when the exchange breaks off; the same command goes on from there.
    """
    _require_repo(repo)
    folder = find_run(run, runs)
    with held(folder), _hub_mistakes():
        say("checking the release")
        manifest = read_manifest(folder.release, f"the run {folder.name}")
        paths = check_files(folder.release, manifest, "the release")
        _require_sound(folder, manifest, public=public)
        api = hub.connect(bars=bars)
        return _push(api, folder, repo, manifest, paths, public, yes, dry_run, ask, say)


def pull(
    repo: str, revision: str | None, out: Path | None, *, say: Say, bars: bool = True
) -> Pulled:
    """Fetches a release from the Hub into a folder, and checks it against its manifest.

    Args:
        repo: ORG/NAME.
        revision: A tag, branch or commit; None means the newest.
        out: The folder; None means NAME in the working directory.
        say: Takes lines of progress.
        bars: Whether bars of progress may be drawn on a terminal.

    Raises:
        InputMistake: when there is none, it is no release, or something else is in the way.
        RunStopped: when the exchange breaks off; the same command goes on from there.
    """
    _require_repo(repo)
    folder = out or Path(repo.rpartition("/")[2])
    with _hub_mistakes():
        api = hub.connect(bars=bars)
        say(f"looking at {repo}")
        remote = hub.look(api, repo, revision)
        if remote is None:
            raise InputMistake(
                f"{public_endpoint(api.endpoint)} shows no dataset {repo} to this token; check the "
                "name, HF_TOKEN and HF_ENDPOINT"
            )
        say(f"fetching {len(released_files(remote))} files")
        try:
            fetched = fetch(api, repo, remote, folder)
        except FileExistsError as error:
            raise InputMistake(f"{error}, with --out") from error
        manifest = read_manifest(folder, str(folder))
    tags = sorted(name for name, commit in remote.tags.items() if commit == remote.head)
    return Pulled(
        repo=repo,
        revision=revision or (tags[0] if tags else remote.head),
        commit=remote.head,
        folder=str(folder),
        files=fetched.files,
        downloaded=fetched.downloaded,
        bytes=fetched.bytes,
        configs=_configs(manifest),
    )


def _push(
    api: HfApi,
    folder: RunFolder,
    repo: str,
    manifest: Mapping[str, Any],
    paths: list[str],
    public: bool,
    yes: bool,
    dry_run: bool,
    ask: Ask | None,
    say: Say,
) -> Pushed:
    user = hub.user_of(api, repo)
    remote = hub.look(api, repo)
    _require_ours(repo, remote)
    if remote is not None and not remote.private and not public:
        raise InputMistake(
            f"{repo} is public: --public says that everyone may have this release, too"
        )
    what = hub.changes(folder.release, paths, remote)
    tag = version_tag(manifest, folder.release)
    _require_new_tag(repo, tag, remote, what)
    opens = public and (remote is None or remote.private)
    commit, remarks, tagged = (remote.head if remote else None), list[str](), False
    if not dry_run:
        if opens:
            _require_consent(repo, yes, ask)
        if remote is None:
            say(f"making {repo}")
            hub.make_repo(api, repo, private=not public)
            commit = hub.head(api, repo)
        if not what.none:
            say(f"sending {len(what.send)} files, {what.bytes:,} bytes")
            commit, remarks = hub.send(
                api, repo, folder.release, what, parent=commit, message=f"Release {tag}"
            )
        if commit is not None and (remote is None or tag not in remote.tags):
            hub.tag(api, repo, tag, commit)
            tagged = True
        if opens and remote is not None:
            hub.make_public(api, repo)
    return Pushed(
        repo=repo,
        user=user,
        url=f"{public_endpoint(api.endpoint)}/datasets/{repo}",
        public=public if remote is None else public or not remote.private,
        made=remote is None,
        dry_run=dry_run,
        commit=commit,
        tag=tag,
        tagged=tagged,
        sent=what.send,
        removed=what.remove,
        unchanged=len(what.same),
        bytes=what.bytes,
        remarks=remarks,
        configs=_configs(manifest),
    )


def version_tag(manifest: Mapping[str, Any], release: Path) -> str:
    """The tag of a release: its version with a `v` before a number, or a hash of its manifest."""
    version = manifest.get("version")
    if isinstance(version, str):
        return f"v{version}" if version[0].isdigit() else version
    digest = hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
    return f"content-{digest[:12]}"


def _require_repo(repo: str) -> None:
    if not _REPO.fullmatch(repo) or ".." in repo or "--" in repo:
        raise InputMistake(
            f"found `{repo}`, expected ORG/NAME: a user or organization of the Hub, a slash, and "
            "the dataset's name in letters, digits, `-`, `_` and `.`"
        )


def _require_sound(folder: RunFolder, manifest: Mapping[str, Any], *, public: bool) -> None:
    """Refuses a release that is faulty, that its licences keep here, or that tells too much."""
    if "rebuilt_from" in manifest:
        raise InputMistake(
            "the release was put together with text that its licences keep here; push the one that "
            "withholds it"
        )
    report = validate(folder.release)
    if not report.ok:
        first = report.faults[0] if report.faults else "see the report"
        raise InputMistake(
            f"the release has {report.fault_count} faults, the first: {first}; `chainwright "
            f"validate {folder.release}` lists them, and a build makes it anew"
        )
    release = published_recipe(folder.release).get("release", {})
    check_publication(
        licences_below(folder.release),
        release.get("licence"),
        acknowledged=release.get("mixed_licences") is True,
        public=public,
    )
    found = list(islice(leaks(folder.release, own_places(folder)), 3))
    if found:
        raise InputMistake(
            "the release holds what must not leave this machine: "
            + "; ".join(map(str, found))
            + ". Take it out of the sources or the recipe and build again"
        )


def own_places(folder: RunFolder) -> list[str]:
    """Folders that tell of this machine: the run's, the working one, the user's home."""
    places = {folder.path.resolve(), Path.cwd(), Path.home()}
    return [f"{place}" for place in places if len(place.parts) > 2]


def _require_ours(repo: str, remote: hub.Remote | None) -> None:
    if remote is None or "manifest.json" in remote.files:
        return
    others = sorted(set(remote.files) - set(_BY_ITSELF))
    if others:
        raise InputMistake(
            f"{repo} holds something other than a release ({others[0]}, no manifest.json), which "
            "would be mixed with this one; choose another NAME"
        )


def _require_new_tag(repo: str, tag: str, remote: hub.Remote | None, what: hub.Changes) -> None:
    tagged = remote.tags.get(tag) if remote else None
    if tagged is not None and remote is not None and (not what.none or tagged != remote.head):
        raise InputMistake(
            f"{repo} has a version {tag} with other content; raise `release.version` in the recipe "
            "and build again, since readers rely on a version staying what it is"
        )


def _require_consent(repo: str, yes: bool, ask: Ask | None) -> None:
    if yes:
        return
    if ask is None:
        raise InputMistake("nothing was sent, as nobody is there to be asked: add --yes")
    if not ask(f"Let everyone see {repo}?"):
        raise InputMistake("nothing was sent; without --public a new dataset is private")


def _configs(manifest: Mapping[str, Any]) -> list[str]:
    configs = manifest.get("configs")
    return [str(name) for name in configs] if isinstance(configs, Mapping) else []


@contextmanager
def _hub_mistakes() -> Iterator[None]:
    """Gives what the release and the Hub refuse the exit code that says whose turn it is."""
    try:
        yield
    except (HubRefused, LicenceRefusedError) as error:
        raise InputMistake(str(error)) from error
    except HubInterrupted as error:
        raise RunStopped(str(error)) from error
