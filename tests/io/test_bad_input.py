"""Input that is broken, hostile or huge: one sentence that names the file and the position, and nothing half-written."""

import gzip
import os
import random
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import hyperhedge as hh
from hyperhedge.io import files
from hyperhedge.io.files import Limits, atomic_file, read_bytes
from mutations import mutate

GOOD = hh.Hypergraph([["a", "b"], ["b", "c"], []], nodes=["a", "b", "c", "z"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the end: the JSON ends too early"),
        (b"{", "the end: the JSON ends too early"),
        (b'{"incidences":[{"node":1,"edge":', "the JSON ends too early"),
        (b"{}", '"incidences", which is missing'),
        (b"null", "a HIF document is a JSON object"),
        (b"3", "a HIF document is a JSON object"),
        (b"[]", "a list without the header of hypergraphx"),
        (b'{"incidences":{}}', 'incidences: "incidences" must be a list'),
        (b'{"incidences":[1]}', r"incidences\[...\]|incidences\[0\]: Expected 'object', got 'int'"),
        (b'{"incidences":[{"node":1}]}', r"incidences\[0\]: Object missing required field 'edge'"),
        (
            b'{"incidences":[{"node":1.5,"edge":1}]}',
            r"incidences\[0\]\.node: Expected 'int \| str', got 'float'",
        ),
        (b'{"incidences":[{"node":null,"edge":1}]}', r"incidences\[0\]\.node: .*got 'null'"),
        (b'{"incidences":[{"node":true,"edge":1}]}', r"incidences\[0\]\.node: .*got 'bool'"),
        (b'{"incidences":[{"node":[1],"edge":1}]}', r"incidences\[0\]\.node: .*got 'array'"),
        (b'{"incidences":[{"node":NaN,"edge":1}]}', "line 1: this is not JSON"),
        (b'{"incidences":[\n\n{"node":Infinity,"edge":1}]}', "line 3: this is not JSON"),
        (b'{"incidences":[{"node":-1,"edge":1}]}', "nodes: the node id -1 is negative"),
        (b'{"incidences":[{"node":1,"edge":-7}]}', "edges: the edge id -7 is negative"),
        (
            b'{"incidences":[{"node":' + b"9" * 30 + b',"edge":1}]}',
            "nodes: the node id 9+ does not fit 63 bits",
        ),
        (b'{"incidences":[{"node":' + b"9" * 9999 + b',"edge":1}]}', "does not fit|not JSON|Integer|integer"),
        (b'{"incidences":[{"node":"","edge":1}]}', "nodes: a node label is the empty string"),
        (b'{"incidences":[{"node":"\\u0000","edge":1}]}', "nodes: a node label contains a NUL"),
        (b'{"incidences":[{"node":"\\ud800","edge":1}]}', "not JSON|cut short|Unicode|UTF-8"),
        (b'{"incidences":[{"node":"\xff","edge":1}]}', "not valid UTF-8"),
        (
            b'{"incidences":[{"node":1,"edge":1,"colour":3}]}',
            r"incidences\[0\]: Object contains unknown field 'colour'",
        ),
        (b'{"incidences":[{"node":1,"edge":1,"weight":"2"}]}', r"incidences\[0\]\.weight"),
        (b'{"incidences":[{"node":1,"edge":1,"direction":"up"}]}', r"incidences\[0\]\.direction"),
        (b'{"network-type":"tree","incidences":[]}', "network-type: Invalid enum value 'tree'"),
        (b'{"incidences":[]}]', "line 1: this is not JSON: trailing characters"),
        (b'{"incidences":[]}\n{"incidences":[]}', "line 2: this is not JSON: trailing characters"),
        (b'{"metadata":' + b"[" * 200_000 + b"]" * 200_000 + b',"incidences":[]}', "nested too deeply"),
        (b"[" * 200_000, "nested too deeply|cut short|ends too early"),
        (
            b'[{"hypergraph_type":"MultiplexHypergraph"}]',
            r"\[0\]: a hypergraphx MultiplexHypergraph is not supported",
        ),
        (b'[{"hypergraph_type":"Hypergraph"},{"type":"node"}]', r"record \[1\]: .*'idx'"),
        (
            b'[{"hypergraph_type":"Hypergraph"},{"type":"edge","interaction":[1.5]}]',
            r"record \[1\]: .*'float'",
        ),
        (
            b'[{"hypergraph_type":"Hypergraph"},{"type":"edge","interaction":[-1]}]',
            "do not fit together .*negative",
        ),
        (
            b'[{"hypergraph_type":"Hypergraph"},{"type":"edge","interaction":[1],"metadata":{"hyperhedge":{}}}]',
            "do not fit together",
        ),
    ],
)
def test_bad_json(tmp_path, text, message):
    path = tmp_path / "h.hif.json"
    path.write_bytes(text)
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        hh.read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["h.hif.json", "h.txt", "h.csv", "h.npz", "c.hif.jsonl"])
class TestEveryFormat:
    def good(self, path):
        (hh.write_collection([GOOD], path) if path.suffix == ".jsonl" else hh.write(GOOD, path))
        return path.read_bytes()

    def read(self, path):
        return hh.read_collection(path)

    def test_binary_noise(self, tmp_path, name):
        noise = random.Random(0).randbytes(10_000)
        (tmp_path / name).write_bytes(noise)
        with pytest.raises(hh.errors.FormatError):
            self.read(tmp_path / name)

    def test_damaged_gzip(self, tmp_path, name):
        packed = gzip.compress(self.good(tmp_path / name) * 50)
        for damaged in (packed[: len(packed) // 2], packed[:-4], packed[:20] + b"\0\0\0\0" + packed[24:]):
            (tmp_path / name).write_bytes(damaged)
            with pytest.raises(hh.errors.FormatError, match="gzip data are damaged or cut short"):
                self.read(tmp_path / name)

    def test_gzip_bomb(self, tmp_path, name):
        packer = zlib.compressobj(1, wbits=31)
        bomb = b"".join([packer.compress(b" " * (1 << 20)) for _ in range(200)]) + packer.flush()
        assert len(bomb) < 2 << 20
        (tmp_path / name).write_bytes(bomb)
        with pytest.raises(hh.errors.FormatError, match=r"gzip data grow more than 100 times|a line is longer than"):
            self.read(tmp_path / name)

    def test_a_limit_of_bytes(self, tmp_path, name):
        self.good(tmp_path / name)
        with pytest.raises(hh.errors.FormatError, match="exceed 10 bytes; raise max_bytes="):
            hh.read_collection(tmp_path / name, max_bytes=10)

    def test_errors_survive_pickling(self, tmp_path, name):
        import pickle

        (tmp_path / name).write_bytes(b'\xff"')
        with pytest.raises(hh.errors.FormatError) as caught:
            self.read(tmp_path / name)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301


MEASURED = """
import pathlib, sys
from hyperhedge.cli import main
try:
    main(sys.argv[2:])
finally:
    pathlib.Path(sys.argv[1]).write_text(pathlib.Path("/proc/self/status").read_text())
"""


def run_and_measure(folder, *arguments):
    """Run the command line; return exit code, standard error and peak memory in MiB.

    The process itself reads its peak: what the system reports of a child begins with the memory of its parent.
    """
    status = folder / "status"
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(status), *arguments], capture_output=True, text=True, check=False
    )
    peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    return done.returncode, done.stderr, int(peak[1]) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured through Linux's /proc")
@pytest.mark.parametrize("name", ["line.txt", "line.csv", "line.jsonl"])
def test_a_line_of_a_gigabyte(tmp_path, name):
    """The line is refused long before it is in memory (the file is sparse: it takes no disk)."""
    path = tmp_path / name
    path.write_bytes(b"1,2 ")
    os.truncate(path, 10**9)
    code, error, memory = run_and_measure(tmp_path, "info", str(path))
    assert code == 2
    assert "a line is longer than" in error
    assert error.count("\n") == 1
    assert memory < 400


def test_many_lines_below_the_limit(tmp_path):
    path = tmp_path / "h.txt"
    path.write_bytes(b"1 2\n" * 100)
    assert len(read_bytes(path, max_line=3)) == 400
    with pytest.raises(hh.errors.FormatError, match="longer than 2 bytes"):
        read_bytes(path, max_line=2)


def test_a_line_across_chunks_is_measured_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_CHUNK", 7)
    path = tmp_path / "h.txt"
    path.write_bytes(b"1 2\n" + b"x" * 20 + b"\n3\n")
    assert read_bytes(path, max_line=20) == path.read_bytes()
    with pytest.raises(hh.errors.FormatError, match="longer than 19 bytes"):
        read_bytes(path, max_line=19)
    assert [line for _, line in files.lines_of(path)] == [b"1 2", b"x" * 20, b"3"]
    with pytest.raises(hh.errors.FormatError, match="longer than 10 bytes"):
        list(files.lines_of(path, limits=Limits(document=10)))


class StopError(Exception):
    pass


@pytest.mark.parametrize("name", ["c.hif.jsonl", "c.hif.jsonl.gz", "c.npz", "folder"])
@pytest.mark.parametrize("error", [StopError, KeyboardInterrupt])
def test_an_interrupted_write_leaves_no_trace(tmp_path, name, error):
    def interrupted():
        yield GOOD
        raise error

    path = tmp_path / name
    before = None
    if name != "folder":
        hh.write_collection([GOOD], path)
        before = path.read_bytes()
    with pytest.raises(error):
        hh.write_collection(interrupted(), path)
    assert [p.name for p in tmp_path.iterdir()] == ([name] if before is not None else [])
    assert before is None or path.read_bytes() == before


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "h.json"
    path.write_bytes(b"old")

    def write_until_full():
        with atomic_file(path) as file:
            file.write(b"new")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_until_full()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_follows_links_and_keeps_usual_permissions(tmp_path):
    target = tmp_path / "target.json"
    target.write_text("old")
    (tmp_path / "link.json").symlink_to(target)
    hh.write(GOOD, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert hh.read(target) == GOOD
    (tmp_path / "plain").write_text("")
    assert target.stat().st_mode == (tmp_path / "plain").stat().st_mode
    with pytest.raises(IsADirectoryError):
        hh.write(GOOD, tmp_path, format="hif")
    with pytest.raises(FileNotFoundError):
        hh.write(GOOD, tmp_path / "nowhere" / "h.json")


def test_pipes_are_read_and_written(tmp_path):
    pipe = tmp_path / "pipe.hif.json"
    os.mkfifo(pipe)
    child = subprocess.Popen([sys.executable, "-m", "hyperhedge", "convert", str(pipe), str(tmp_path / "o.csv")])
    hh.write(GOOD, pipe)
    assert child.wait() == 0
    assert hh.read(tmp_path / "o.csv") == GOOD


# -- mutations ---------------------------------------------------------------------------------------

SAMPLES = [
    GOOD,
    hh.Hypergraph([[0, 1, 2], [1, 2], [10, 2]]),
    hh.Hypergraph([[5, "5", "x y"], ["é", 5]], nodes=[7, "5", 5, "x y", "é"], edges=["e,1", "2"]),
    hh.Hypergraph([["n1", "n2"], ["n2", "n3"]]),
]
FUZZED = ["h.hif.json", "h.txt", "h.csv", "h.tsv", "h.npz", "h.json.gz", "c.hif.jsonl", "c.npz"]


def fuzz(folder, name, cases, seed):
    """Read mutated files; anything but a hypergraph or a FormatError fails. Return how many were refused."""
    rng = random.Random(f"{name} {seed}")
    path = folder / name
    many = name.startswith("c.")
    valid = []
    for H in SAMPLES:
        hh.write_collection([H, GOOD], path) if many else hh.write(H, path)
        valid.append(path.read_bytes())
    refused = 0
    for _ in range(cases):
        path.write_bytes(mutate(rng.choice(valid), rng))
        try:
            for H in hh.read_collection(path) if many else [hh.read(path)]:
                assert hh.Hypergraph(H.hyperedges, nodes=H.nodes, edges=H.edges) == H
        except hh.errors.FormatError as error:
            assert str(error).startswith(str(path))  # noqa: PT017
            refused += 1
    return refused


@pytest.mark.filterwarnings("ignore::hyperhedge.errors.DataLossWarning")
@pytest.mark.parametrize("name", FUZZED)
def test_mutated_files_are_read_or_refused(tmp_path, name):
    refused = fuzz(tmp_path, name, 1_000, seed=0)
    assert refused > 100  # the mutations do harm


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::hyperhedge.errors.DataLossWarning")
@pytest.mark.parametrize("name", FUZZED)
@pytest.mark.parametrize("seed", range(1, 11))
def test_many_more_mutated_files(tmp_path, name, seed):
    fuzz(tmp_path, name, 5_000, seed=seed)
