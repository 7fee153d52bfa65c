"""Pushing with the Hub's own client, against a local server of its protocol."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.release.hub.commands import REPO, Command, content, push_json, remote
from tests.release.hub_server import TOKEN, HubServer

SENT = r"PUT /large/|/commit/"


def test_a_release_is_sent_whole_private_and_tagged(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    release = run()
    code, out, err = call("push", "pears", REPO)
    assert code == 0, err
    assert remote(hub) == content(release)
    repo = hub.repos[REPO]
    assert repo.private
    assert repo.tags == {"v1.0": repo.head}
    assert repo.messages == ["initial commit", "Release v1.0"]
    assert 'load_dataset("ada/pears", "chains", revision="v1.0")' in out
    assert "checking the release" in err


def test_an_unchanged_release_sends_nothing(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    release = run()
    push_json(call)
    before = len(hub.asked)
    again = push_json(call)
    assert again["sent"] == again["removed"] == []
    assert again["unchanged"] == len(content(release))
    assert not again["tagged"]
    assert not any(one.startswith(("POST", "PUT")) for one in hub.asked[before:])
    assert len(hub.repos[REPO].commits) == 2


def test_a_new_version_sends_what_changed_and_removes_what_went(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    run(shard_rows=2)
    push_json(call)
    release = run(version="1.1", shard_rows=50)
    done = push_json(call)
    assert remote(hub) == content(release)
    assert all(path.startswith("data/") for path in done["removed"])
    assert done["removed"]
    assert sorted(hub.repos[REPO].tags) == ["v1.0", "v1.1"]
    assert hub.repos[REPO].tags["v1.1"] == hub.repos[REPO].head


def test_a_version_never_changes_its_content(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    run()
    push_json(call)
    run(4)
    before = hub.count(SENT)
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert code == 2
    assert "v1.0" in err
    assert "release.version" in err
    assert hub.count(SENT) == before


def test_without_a_version_the_tag_is_of_the_content(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    run(version=None)
    first = push_json(call)["tag"]
    run(4, version=None)
    second = push_json(call)["tag"]
    assert re.fullmatch(r"content-[0-9a-f]{12}", first)
    assert set(hub.repos[REPO].tags) == {first, second}
    assert first != second


@pytest.mark.parametrize("broken", [r"PUT /large/", r"/commit/", r"/tag/"])
def test_after_a_broken_push_only_the_rest_is_sent(
    hub: HubServer, call: Command, run: Callable[..., Path], broken: str
) -> None:
    release = run()
    large = sum(path.endswith(".parquet") for path in content(release))
    hub.fail(broken, 0)
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert code == 3
    assert "was lost" in err
    assert err.count("\n") == 1
    if broken != r"/tag/":
        assert remote(hub) == {}  # no reader meets half a release
    hub.faults.clear()
    stored, before = len(hub.large), hub.count("PUT /large/")
    push_json(call)
    assert remote(hub) == content(release)
    assert hub.count("PUT /large/") - before == large - stored
    assert hub.repos[REPO].tags == {"v1.0": hub.repos[REPO].head}
    assert len(hub.repos[REPO].commits) == 2


def test_one_large_file_that_never_arrives_costs_no_other(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    release = run()
    hub.fail(r"PUT /large/", 0, times=3)  # within the client's own patience
    push_json(call)
    assert remote(hub) == content(release)
    hashes = [one for one in hub.asked if one.startswith("PUT /large/")]
    assert len(hashes) == len(set(hashes)) + 3


@pytest.mark.parametrize(
    ("pattern", "status", "more", "code", "says"),
    [
        (r"whoami", 401, {}, 2, "does not know the token in HF_TOKEN"),
        (r"whoami", 404, {}, 2, "is no Hub; correct HF_ENDPOINT"),
        (r"whoami", 429, {"headers": {"Retry-After": "17"}}, 3, "wait 17 seconds"),
        (r"whoami", 503, {}, 3, "the Hub failed"),
        (r"create", 403, {"said": "no rights"}, 2, "HTTP 403: no rights); use one with write"),
        (r"create", 409, {}, 3, "HTTP 409"),
        (r"preupload", 429, {}, 3, "wait a few minutes"),
        (r"PUT /large/", 403, {}, 2, "may not do that in ada/pears"),
        (r"/commit/", 403, {"said": f"not with {TOKEN}"}, 2, "[HF_TOKEN]"),
        (r"/commit/", 404, {}, 2, "shows no dataset ada/pears to this token"),
        (r"/commit/", 412, {}, 3, "changed by someone else meanwhile"),
        (r"/commit/", 413, {"said": "too\nlarge"}, 2, "HTTP 413: too large"),
    ],
)
def test_a_refusal_is_one_line_that_says_what_to_do(
    hub: HubServer,
    call: Command,
    run: Callable[..., Path],
    pattern: str,
    status: int,
    more: dict[str, Any],
    code: int,
    says: str,
) -> None:
    run(2)
    more = {**more, "said": more.get("said", "no").replace("\n", " ")}
    hub.fail(pattern, status, **more)
    found, out, err = call("push", "pears", REPO, "--quiet")
    assert (found, out) == (code, "")
    assert says in err
    assert err.startswith("chainwright: ")
    assert err.count("\n") == 1
    assert "secret-of-the-address" not in err


@pytest.mark.parametrize(
    ("endpoint", "code", "says"),
    [
        ("http://127.0.0.1:9", 3, "no Hub can be reached at http://127.0.0.1:9"),
        ("nonsense", 2, "nonsense is no address; correct HF_ENDPOINT"),
        ("http://ada:pass1234@127.0.0.1:9", 3, "at http://127.0.0.1:9;"),
    ],
)
def test_a_wrong_endpoint_is_named(
    call: Command,
    run: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    endpoint: str,
    code: int,
    says: str,
) -> None:
    run(2)
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    for command in (("push", "pears", REPO, "--quiet"), ("pull", REPO, "--quiet")):
        found, _, err = call(*command)
        assert found == code
        assert says in err
        assert err.count("\n") == 1


def test_no_token_is_said_before_anything_is_sent(
    hub: HubServer, call: Command, run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    run(2)
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", "/nowhere/token")
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert code == 2
    assert "set HF_TOKEN" in err
    assert hub.count("^POST") == 0


@pytest.mark.parametrize("name", ["pears", "ada/", "/pears", "ada/pe ars", "ada/../x", "a/b/c"])
def test_a_name_without_its_owner_is_refused(
    call: Command, run: Callable[..., Path], name: str
) -> None:
    run(1)
    for command in (("push", "pears", name), ("pull", name)):
        code, _, err = call(*command)
        assert code == 2
        assert "expected ORG/NAME" in err


def test_public_is_asked_for(hub: HubServer, call: Command, run: Callable[..., Path]) -> None:
    run()
    code, _, err = call("push", "pears", REPO, "--public", "--quiet")
    assert code == 2
    assert "add --yes" in err
    assert REPO not in hub.repos
    assert push_json(call, "--public", "--yes")["public"]
    assert not hub.repos[REPO].private
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert code == 2
    assert "is public: --public says" in err


def test_a_private_dataset_is_made_public_on_request(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    run()
    push_json(call)
    done = push_json(call, "--public", "--yes")
    assert done["sent"] == []
    assert done["public"]
    assert not hub.repos[REPO].private


def test_a_dry_run_changes_nothing(hub: HubServer, call: Command, run: Callable[..., Path]) -> None:
    release = run()
    done = push_json(call, "--dry-run")
    assert sorted(done["sent"]) == sorted(content(release))
    assert hub.repos == {}
    assert not any(one.startswith(("POST", "PUT")) for one in hub.asked)


def test_a_dataset_of_another_kind_is_left_alone(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    from tests.release.hub_server import Kept, Repo

    run()
    repo = hub.repos[REPO] = Repo(private=True)
    repo.commit({"data/mine.csv": Kept(b"1,2", lfs=False)}, "mine")
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert code == 2
    assert "data/mine.csv" in err
    assert len(repo.commits) == 1


def test_an_edited_release_stays_here(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    release = run()
    (release / "README.md").write_text("mine")
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert code == 2
    assert "README.md is not the file that manifest.json tells of" in err
    assert hub.asked == []


def test_a_faulty_release_stays_here(
    hub: HubServer, call: Command, run: Callable[..., Path]
) -> None:
    release = run()
    manifest = json.loads((release / "manifest.json").read_text())
    path = release / "perl" / "own_positives.json"
    path.write_text(path.read_text().replace('"is_correct"', '"is_right"'))
    import hashlib

    for entry in manifest["files"]:
        if entry["path"] == "perl/own_positives.json":
            entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (release / "manifest.json").write_text(json.dumps(manifest))
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert code == 2
    assert "faults, the first: " in err
    assert "chainwright validate" in err
    assert hub.asked == []


def test_a_release_that_withholds_text_goes_out_and_one_put_together_stays(
    hub: HubServer, call: Command, tmp_path: Path, run: Callable[..., Path]
) -> None:
    release = run()
    for name in ("contamination.jsonl", "rebuild.yaml"):  # of a former release, gone by now
        (release / name).write_text("{}\n", encoding="utf-8")
    listed(release)
    assert call("push", "pears", REPO, "--quiet")[0] == 0
    run(version="1.1")
    assert set(push_json(call)["removed"]) == {"contamination.jsonl", "rebuild.yaml"}
    release = run(version="1.2")
    manifest = json.loads((release / "manifest.json").read_text())
    (release / "manifest.json").write_text(json.dumps({**manifest, "rebuilt_from": "0" * 64}))
    code, _, err = call("push", "pears", REPO, "--quiet")
    assert (code, "push the one that withholds it" in err) == (2, True)


def listed(release: Path) -> None:
    """Names all files of a release in its manifest, as they are."""
    manifest = json.loads((release / "manifest.json").read_text())
    known = {file["path"] for file in manifest["files"]}
    manifest["files"] += [
        {
            "path": path.name,
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(release.iterdir())
        if path.is_file() and path.name not in known | {"manifest.json"}
    ]
    (release / "manifest.json").write_text(json.dumps(manifest))
