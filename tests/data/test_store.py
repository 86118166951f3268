"""The download, against a server on this machine that serves well, badly, slowly, and not at all."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import hyperhedge as hh
from hyperhedge.data import CATALOGUE, Store
from hyperhedge.data.store import RemoteFile
from hyperhedge.errors import DataError

CONTENT = np.random.default_rng(0).bytes(300_000)
FILE = RemoteFile("some/Repository", "0" * 40, "data/file.bin", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, with ranges, in the way that the server's ``mode`` says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.requests.append(wanted)
        mode = server.modes.pop(0) if len(server.modes) > 1 else server.modes[0]
        path = Path(self.translate_path(self.path))
        if isinstance(mode, int) or not path.is_file():
            return self.send_error(mode if isinstance(mode, int) else 404)
        data = path.read_bytes()
        if mode == "corrupt":
            data = data[:-1] + bytes([data[-1] ^ 1])
        if mode == "longer":
            data += b"more"
        start = start_of(wanted) if wanted and mode != "without ranges" else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        part = data[start:]
        if mode in ("truncate", "stall"):
            self.wfile.write(part[: len(part) // 2])
            self.wfile.flush()
            if mode == "stall":
                server.released.wait(30)
            self.close_connection = True
            return None
        if mode == "slow":
            time.sleep(1.0)
        self.wfile.write(part)
        return None

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):  # clients that are killed are part of the tests
        pass


@contextmanager
def serving(folder, *modes):
    server = Server(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    server.modes, server.requests, server.released = list(modes), [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "mirror" / FILE.name
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    return tmp_path / "mirror"


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def left_over(cache):
    return sorted(p.name for p in cache.rglob("*") if p.is_file() and p.suffix not in (".lock", ".part"))


def start_of(wanted):
    return int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])


def part_of(cache):
    return cache / f"{FILE.name}.part"


def test_a_download_is_checked_kept_and_not_repeated(folder, cache):
    with serving(folder, "well") as (server, url):
        store = Store(url, cache)
        assert store.local(FILE) is None
        assert store.read(FILE) == CONTENT
        assert store.fetch([FILE]) == [cache / FILE.name]
        assert server.requests == [None]
    assert store.local(FILE) == cache / FILE.name
    assert left_over(cache) == ["file.bin"]
    assert Store("http://127.0.0.1:9", cache).read(FILE) == CONTENT  # the server is no longer needed


def test_a_broken_connection_goes_on_where_it_broke(folder, cache):
    with serving(folder, "truncate", "truncate", "well") as (server, url):
        assert Store(url, cache).read(FILE) == CONTENT
        whole, second, third = server.requests
        assert whole is None
        assert 100_000 < start_of(second) <= 150_000 < start_of(third) <= 225_000


def test_what_a_failed_download_left_is_used_by_the_next(folder, cache):
    with serving(folder, "truncate") as (server, url):
        with pytest.raises(DataError, match="the connection broke off"):
            Store(url, cache).read(FILE)
        assert len(server.requests) == 3
    have = part_of(cache).stat().st_size
    assert 200_000 < have <= 262_500
    assert left_over(cache) == []
    with serving(folder, "well") as (server, url):
        assert Store(url, cache).read(FILE) == CONTENT
        assert server.requests == [f"bytes={have}-"]
    assert not part_of(cache).exists()


def test_a_server_without_ranges_sends_the_whole_again(folder, cache):
    part_of(cache).parent.mkdir(parents=True)
    part_of(cache).write_bytes(CONTENT[:1000])
    with serving(folder, "without ranges") as (server, url):
        assert Store(url, cache).read(FILE) == CONTENT
        assert server.requests == ["bytes=1000-"]


@pytest.mark.parametrize("part", [b"x" * 1000, b"x" * len(CONTENT), b"x" * (len(CONTENT) + 5)], ids=len)
def test_a_wrong_part_does_no_harm(folder, cache, part):
    part_of(cache).parent.mkdir(parents=True)
    part_of(cache).write_bytes(part)
    with serving(folder, "well") as (_, url):
        assert Store(url, cache).read(FILE) == CONTENT


@pytest.mark.parametrize("mode", ["corrupt", "longer"])
def test_a_wrong_file_is_not_kept(folder, cache, mode):
    with serving(folder, mode) as (_, url), pytest.raises(DataError, match="the server sent another file"):
        Store(url, cache).read(FILE)
    assert left_over(cache) == []


def test_a_wrong_answer_once_is_asked_for_again(folder, cache):
    with serving(folder, "corrupt", 503, "well") as (server, url):
        assert Store(url, cache).read(FILE) == CONTENT
        assert server.requests == [None, None, None]


def test_a_missing_file_is_one_sentence_at_once(folder, cache):
    with serving(folder, 404) as (server, url):
        with pytest.raises(DataError, match=r"answers 404.*HYPERHEDGE_DATA") as caught:
            Store(url, cache).read(FILE)
        assert len(server.requests) == 1
    assert "\n" not in str(caught.value)


def test_a_stalled_server_is_given_up(folder, cache):
    with serving(folder, "stall") as (_, url), pytest.raises(DataError, match="stopped answering"):
        Store(url, cache, timeout=0.3).read(FILE)
    assert part_of(cache).stat().st_size > 100_000


def test_offline_says_how_to_get_the_data(cache):
    with pytest.raises(DataError, match=r"no connection.*hyperhedge data fetch.*HYPERHEDGE_DATA") as caught:
        Store("http://127.0.0.1:9", cache).read(FILE)
    assert "\n" not in str(caught.value)


def test_a_damaged_file_in_the_cache_is_replaced(folder, cache):
    (cache / FILE.name).parent.mkdir(parents=True)
    (cache / FILE.name).write_bytes(CONTENT[:-1])
    with serving(folder, "well") as (_, url):
        assert Store(url, cache).read(FILE) == CONTENT


def test_a_cache_that_cannot_be_written_is_named(folder, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the cache should be")
    with serving(folder, "well") as (_, url), pytest.raises(DataError, match="HYPERHEDGE_CACHE"):
        Store(url, blocked).read(FILE)


def test_progress_is_shown_on_a_terminal_only(folder, tmp_path):
    for terminal in (True, False):
        out = StringIO()
        console = Console(file=out, force_terminal=terminal, width=100)
        with serving(folder, "well") as (_, url):
            Store(url, tmp_path / str(terminal), progress=console).read(FILE)
        assert ("file.bin" in out.getvalue()) is terminal


FETCH = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background may have been told to ignore it
from pathlib import Path
from hyperhedge.data import Store
from hyperhedge.data.store import RemoteFile
url, cache, sha256, size = sys.argv[1:]
Store(url, Path(cache)).fetch([RemoteFile("some/Repository", "0" * 40, "data/file.bin", sha256, int(size))])
"""


def start_fetch(url, cache):
    command = [sys.executable, "-c", FETCH, url, str(cache), FILE.sha256, str(FILE.size)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_at_once_download_once(folder, cache):
    with serving(folder, "slow") as (server, url):
        processes = [start_fetch(url, cache) for _ in range(2)]
        outcomes = [(process.communicate(timeout=60)[1], process.returncode) for process in processes]
        assert outcomes == [("", 0), ("", 0)]
        assert server.requests == [None]
    assert (cache / FILE.name).read_bytes() == CONTENT
    assert left_over(cache) == ["file.bin"]


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal on Windows")
def test_an_interrupted_process_leaves_a_part_to_go_on_from(folder, cache):
    with serving(folder, "stall", "well") as (server, url):
        process = start_fetch(url, cache)
        deadline = time.monotonic() + 60
        while not (part_of(cache).exists() and part_of(cache).stat().st_size >= 100_000):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode != 0
        have = part_of(cache).stat().st_size
        assert left_over(cache) == []
        assert Store(url, cache).read(FILE) == CONTENT
        assert server.requests == [None, f"bytes={have}-"]


def test_a_local_mirror_is_read_and_checked(folder, cache):
    store = Store(str(folder), cache)
    assert store.read(FILE) == CONTENT
    assert store.local(FILE) == folder / FILE.name
    assert not cache.exists()
    (folder / FILE.name).write_bytes(b"other")
    with pytest.raises(DataError, match=r"file\.bin: this is not https://raw"):
        store.read(FILE)
    (folder / FILE.name).unlink()
    with pytest.raises(DataError, match="no such file in the mirror"):
        store.read(FILE)
    assert store.local(FILE) is None


def test_the_environment_names_mirror_and_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("HYPERHEDGE_DATA", "/mirror")
    monkeypatch.setenv("HYPERHEDGE_CACHE", str(tmp_path))
    assert Store.from_environment() == Store("/mirror", tmp_path)
    monkeypatch.setenv("HYPERHEDGE_DATA", "")
    monkeypatch.delenv("HYPERHEDGE_CACHE")
    store = Store.from_environment()
    assert store.mirror is None
    assert "hyperhedge" in store.folder.parts


def test_upstream_is_pinned_to_its_commit():
    for entry in CATALOGUE.values():
        for file in entry.files:
            assert re.fullmatch(r"[0-9a-f]{40}", file.commit)
            assert file.url == f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/{file.path}"


def test_every_dataset_is_downloaded_from_a_server_of_the_mirror(mirror, cache, monkeypatch):
    monkeypatch.setenv("HYPERHEDGE_CACHE", str(cache))
    with serving(mirror, "well") as (_, url):
        monkeypatch.setenv("HYPERHEDGE_DATA", url)
        downloaded = {name: hh.load_dataset(name).hypergraph for name in CATALOGUE}
    monkeypatch.setenv("HYPERHEDGE_DATA", str(mirror))
    for name, H in downloaded.items():
        assert hh.load_dataset(name).hypergraph == H
