"""A local server that speaks as much of the Hub's protocol as pushing and loading datasets takes.

It keeps repositories, commits, tags and large files in memory, counts what is asked of it, and can
be told to fail. It is no Hub: one user, no rights beyond one token, datasets only.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_local_0123456789abcdefghij"  # noqa: S105 - of this server alone
BY_LFS = (".parquet",)


@dataclass(frozen=True)
class Kept:
    """A file's bytes, and whether they are kept as a large file."""

    content: bytes
    lfs: bool

    @property
    def sha256(self) -> str:
        """Its hash as a large file."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def git_id(self) -> str:
        """Its id as a git blob; of a large file, that of its pointer."""
        content = self.content
        if self.lfs:
            content = (
                f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\n"
                f"size {len(content)}\n"
            ).encode()
        return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324

    def entry(self, path: str) -> dict[str, Any]:
        """The file as an entry of a tree."""
        entry = {"type": "file", "path": path, "size": len(self.content), "oid": self.git_id}
        if self.lfs:
            entry["lfs"] = {"oid": self.sha256, "size": len(self.content), "pointerSize": 130}
        return entry


@dataclass
class Repo:
    """A dataset: its commits, oldest first, with all files of each, and its tags."""

    private: bool
    commits: dict[str, dict[str, Kept]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The last commit."""
        return [*self.commits][-1]

    @property
    def files(self) -> dict[str, Kept]:
        """Files of the last commit."""
        return self.commits[self.head]

    def commit(self, files: dict[str, Kept], message: str) -> str:
        """Adds a commit."""
        oid = hashlib.sha1(f"{len(self.commits)} {sorted(files)}".encode()).hexdigest()  # noqa: S324
        self.commits[oid] = files
        self.messages.append(message)
        return oid

    def at(self, revision: str) -> str | None:
        """The commit that a branch, tag or commit id means."""
        if revision in self.commits:
            return revision
        return self.head if revision == "main" else self.tags.get(revision)


@dataclass
class Fault:
    """A way to fail for requests whose `METHOD path` matches, so many times; 0: dropped."""

    pattern: str
    status: int
    times: int
    said: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)


class HubServer(ThreadingHTTPServer):
    """The server, with what it keeps and what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repos: dict[str, Repo] = {}
        self.large: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.faults: list[Fault] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """Its address, for HF_ENDPOINT."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def fail(self, pattern: str, status: int, times: int = 1_000, **more: Any) -> None:
        """Fails requests whose `METHOD path` matches; status 0 drops them half-way."""
        self.faults.append(Fault(pattern, status, times, **more))

    def count(self, pattern: str) -> int:
        """How many requests matched."""
        return sum(bool(re.search(pattern, one)) for one in self.asked)


@contextmanager
def serving() -> Iterator[HubServer]:
    """A server under way."""
    server = HubServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body of an answer are written one after the other
    server: HubServer

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._handle()

    do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815

    def _handle(self) -> None:
        split = urlsplit(self.path)
        path, self.query = split.path, parse_qs(split.query)
        with self.server.lock:
            self.server.asked.append(f"{self.command} {path}")
            if (fault := self._fault(path)) is not None:
                self._fail(fault)
                return
            length = int(self.headers.get("Content-Length") or 0)
            if self.headers.get("Transfer-Encoding") == "chunked":
                self.body = self._chunks()
            else:
                self.body = self.rfile.read(length)
            self._route(path)

    def _chunks(self) -> bytes:
        found = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def _fault(self, path: str) -> Fault | None:
        for fault in self.server.faults:
            if fault.times > 0 and re.search(fault.pattern, f"{self.command} {path}"):
                fault.times -= 1
                return fault
        return None

    def _fail(self, fault: Fault) -> None:
        self.close_connection = True
        if fault.status == 0:
            self.rfile.read(min(10, int(self.headers.get("Content-Length") or 0)))
            self.connection.close()
            return
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(
            fault.status, {"error": fault.said}, {"X-Error-Message": fault.said, **fault.headers}
        )

    def _route(self, path: str) -> None:
        routes = (
            ("GET", r"/api/whoami-v2", self._whoami),
            ("POST", r"/api/validate-yaml", self._validate),
            ("POST", r"/api/repos/create", self._create),
            ("PUT", r"/large/(?P<oid>\w+)", self._store),
            ("POST", r"/datasets/(?P<repo>[^/]+/[^/]+)\.git/info/lfs/objects/batch", self._batch),
            ("PUT", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/settings", self._settings),
            ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/refs", self._refs),
            ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tag/(?P<rev>[^/]+)", self._tag),
            ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/preupload/(?P<rev>[^/]+)", self._modes),
            ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/commit/(?P<rev>[^/]+)", self._commit),
            ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/paths-info/(?P<rev>[^/]+)", self._paths),
            (
                "GET",
                r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tree/(?P<rev>[^/]+)(?:/(?P<below>.*))?",
                self._tree,
            ),
            (
                "GET",
                r"/api/datasets/(?P<repo>[^/]+/[^/]+)(?:/revision/(?P<rev>[^/]+))?",
                self._info,
            ),
            (
                "GET|HEAD",
                r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<file>.+)",
                self._resolve,
            ),
        )
        for method, pattern, answer in routes:
            match = re.fullmatch(pattern, path)
            if match and re.fullmatch(method, self.command):
                given = {k: unquote(v) for k, v in match.groupdict().items() if v is not None}
                self._for(given, answer)
                return
        self._answer(404, {"error": f"no route {self.command} {path}"})

    def _for(self, given: dict[str, str], answer: Any) -> None:
        """Answers, once the token is looked at and the repository and revision are found."""
        bearer = self.headers.get("Authorization")
        if bearer is not None and bearer != f"Bearer {TOKEN}":
            said = "Invalid credentials in Authorization header"
            self._answer(401, {"error": said}, {"X-Error-Message": said})
            return
        self.known = bearer is not None
        if "repo" in given:
            repo = self.server.repos.get(given["repo"])
            if repo is None or (repo.private and not self.known):
                self._answer(404 if self.known else 401, {}, {"X-Error-Code": "RepoNotFound"})
                return
            given["rev"] = repo.at(given.get("rev", "main")) or ""
            if not given["rev"]:
                self._answer(404, {}, {"X-Error-Code": "RevisionNotFound"})
                return
            self.repo = repo
        writes = self.command in ("POST", "PUT")
        # What is read by POST needs no token, nor do addresses to upload to, which are signed.
        if writes and not self.known and answer not in (self._paths, self._store):
            self._answer(401, {"error": "log in"})
            return
        answer(given)

    def _whoami(self, given: dict[str, str]) -> None:
        self._answer(200 if self.known else 401, {"name": "ada", "type": "user", "orgs": []})

    def _validate(self, given: dict[str, str]) -> None:
        import yaml

        content = json.loads(self.body)["content"]
        try:
            head = yaml.safe_load(content.split("---\n")[1])
        except (IndexError, yaml.YAMLError) as error:
            self._answer(400, {"errors": [{"message": str(error)}], "warnings": []})
            return
        empty = [] if "license" in head else [{"message": "empty or missing license"}]
        self._answer(200, {"errors": [], "warnings": empty})

    def _create(self, given: dict[str, str]) -> None:
        wanted = json.loads(self.body)
        name = f"{wanted['organization'] or 'ada'}/{wanted['name']}"
        if name in self.server.repos:
            self._answer(409, {"error": "You already created this dataset repo"})
            return
        repo = self.server.repos[name] = Repo(wanted.get("visibility") == "private")
        repo.commit(
            {".gitattributes": Kept(b"*.parquet filter=lfs\n", lfs=False)}, "initial commit"
        )
        self._answer(200, {"url": f"{self.server.url}/datasets/{name}"})

    def _settings(self, given: dict[str, str]) -> None:
        wanted = json.loads(self.body)
        self.repo.private = wanted.get("visibility", "public") == "private" or bool(
            wanted.get("private")
        )
        self._answer(200, {})

    def _info(self, given: dict[str, str]) -> None:
        files = self.repo.commits[given["rev"]]
        self._answer(
            200,
            {
                "id": given["repo"],
                "sha": given["rev"],
                "private": self.repo.private,
                "tags": [],
                "downloads": 0,
                "likes": 0,
                "siblings": [{"rfilename": path} for path in files],
            },
        )

    def _refs(self, given: dict[str, str]) -> None:
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
            for name, oid in self.repo.tags.items()
        ]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": self.repo.head}
        self._answer(200, {"branches": [main], "converts": [], "tags": tags})

    def _tag(self, given: dict[str, str]) -> None:
        name = json.loads(self.body)["tag"]
        if name in self.repo.tags:
            self._answer(409, {"error": "Tag reference exists already"})
            return
        self.repo.tags[name] = given["rev"]
        self._answer(200, {})

    def _modes(self, given: dict[str, str]) -> None:
        files = []
        for one in json.loads(self.body)["files"]:
            kept = self.repo.commits[given["rev"]].get(one["path"])
            oid = None if kept is None else kept.sha256 if kept.lfs else kept.git_id
            mode = "lfs" if one["path"].endswith(BY_LFS) else "regular"
            files.append(
                {"path": one["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid}
            )
        self._answer(200, {"files": files})

    def _batch(self, given: dict[str, str]) -> None:
        objects = []
        for one in json.loads(self.body)["objects"]:
            answer = {"oid": one["oid"], "size": one["size"]}
            if one["oid"] not in self.server.large:
                href = f"{self.server.url}/large/{one['oid']}?signature=secret-of-the-address"
                answer["actions"] = {"upload": {"href": href}}
            objects.append(answer)
        self._answer(200, {"transfer": "basic", "objects": objects})

    def _store(self, given: dict[str, str]) -> None:
        if hashlib.sha256(self.body).hexdigest() != given["oid"]:
            self._answer(400, {"error": "other bytes than announced"})
            return
        self.server.large[given["oid"]] = self.body
        self._answer(200, {})

    def _commit(self, given: dict[str, str]) -> None:
        lines = [json.loads(line) for line in self.body.splitlines()]
        header = next(one["value"] for one in lines if one["key"] == "header")
        if header.get("parentCommit") not in (None, self.repo.head):
            self._answer(412, {"error": "A commit has happened since"})
            return
        files = dict(self.repo.files)
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = Kept(base64.b64decode(value["content"]), lfs=False)
            elif line["key"] == "lfsFile":
                if value["oid"] not in self.server.large:
                    self._answer(400, {"error": f"no large file {value['oid']}"})
                    return
                files[value["path"]] = Kept(self.server.large[value["oid"]], lfs=True)
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        oid = self.repo.commit(files, header["summary"])
        url = f"{self.server.url}/datasets/{given['repo']}/commit/{oid}"
        self._answer(200, {"commitUrl": url, "commitOid": oid})

    def _tree(self, given: dict[str, str]) -> None:
        files, below = self.repo.commits[given["rev"]], given.get("below", "")
        prefix = f"{below}/" if below else ""
        inside = {path: kept for path, kept in files.items() if path.startswith(prefix)}
        if below and not inside:
            self._answer(404, {}, {"X-Error-Code": "EntryNotFound"})
            return
        recursive = self.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        entries: dict[str, dict[str, Any]] = {}
        for path, kept in inside.items():
            parts = path.removeprefix(prefix).split("/")
            for depth in range(1, len(parts)):
                folder = prefix + "/".join(parts[:depth])
                if recursive or depth == 1:
                    entries[folder] = _folder(folder)
            if recursive or len(parts) == 1:
                entries[path] = kept.entry(path)
        self._answer(200, [*entries.values()])

    def _paths(self, given: dict[str, str]) -> None:
        files = self.repo.commits[given["rev"]]
        kind = self.headers.get("Content-Type", "")
        wanted = (
            json.loads(self.body)["paths"]
            if "json" in kind
            else parse_qs(self.body.decode()).get("paths", [])
        )
        found = []
        for path in [wanted] if isinstance(wanted, str) else wanted:
            if path in files:
                found.append(files[path].entry(path))
            elif any(one.startswith(f"{path}/") for one in files):
                found.append(_folder(path))
        self._answer(200, found)

    def _resolve(self, given: dict[str, str]) -> None:
        kept = self.repo.commits[given["rev"]].get(given["file"])
        if kept is None:
            headers = {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": given["rev"]}
            self._answer(404, {}, headers)
            return
        headers = {"X-Repo-Commit": given["rev"], "Accept-Ranges": "bytes"}
        headers["ETag"] = f'"{kept.sha256 if kept.lfs else kept.git_id}"'
        if kept.lfs:
            headers |= {"X-Linked-Etag": headers["ETag"], "X-Linked-Size": f"{len(kept.content)}"}
        part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if part is None:
            self._send(200, kept.content, headers)
            return
        first, last = int(part[1]), min(int(part[2] or 1 << 60), len(kept.content) - 1)
        headers["Content-Range"] = f"bytes {first}-{last}/{len(kept.content)}"
        self._send(206, kept.content[first : last + 1], headers)

    def _answer(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        content = json.dumps(value).encode()
        self._send(status, content, {"Content-Type": "application/json", **(headers or {})})

    def _send(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _folder(path: str) -> dict[str, Any]:
    return {
        "type": "directory",
        "path": path,
        "size": 0,
        "oid": hashlib.sha1(path.encode()).hexdigest(),  # noqa: S324
    }
