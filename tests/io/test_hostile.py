"""Names and contents that are made, or happen, to break a reader or writer: always a sentence, never a traceback."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.io import formats
from hyperhedge.io.files import atomic_file, atomic_folder, resolved

H = hh.Hypergraph([["a", "b"], ["b"]])
SURROGATE = {
    "h.hif.json": rb'{"incidences":[{"node":"\ud800","edge":1}]}',
    "x.json": rb'{"edge-dict":{"e":["\ud800"]}}',
    "h.json": rb'[{"hypergraph_type":"Hypergraph"},{"type":"edge","interaction":["\ud800"]}]',
    "h.txt": b'"\\ud800" b\n',
    "h.csv": b'node:json,edge\n"""\\ud800""",x\n',
    "c.hif.jsonl": rb'{"incidences":[{"node":"\ud800","edge":1}]}',
}


@pytest.mark.parametrize("name", SURROGATE)
def test_lone_surrogates(run, tmp_path, name):
    (tmp_path / name).write_bytes(SURROGATE[name])
    with pytest.raises(hh.errors.FormatError):
        hh.read_collection(tmp_path / name)
    code, out, err = run("info", tmp_path / name)
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("error", [ValueError("boom"), OverflowError("boom"), RecursionError("boom"), MemoryError()])
@pytest.mark.parametrize("call", [hh.read, hh.read_collection, formats.read_as_stored])
def test_errors_of_parsers_name_the_file(monkeypatch, tmp_path, error, call):
    def broken(*_, **__):
        raise error

    (tmp_path / "h.npz").write_bytes(b"")
    broken_format = formats.Format("npz", (".npz",), broken, broken, read_collection=broken)
    monkeypatch.setitem(formats.FORMATS, "npz", broken_format)
    with pytest.raises(
        hh.errors.FormatError, match=r"h\.npz: (the file cannot be read as a hypergraph|there is not enough)"
    ):
        call(tmp_path / "h.npz")


# -- pipes and standard streams ------------------------------------------------------------------------


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_an_archive_from_a_pipe(shell, tmp_path, many, name):
    hh.write_collection([H, H], tmp_path / "h.npz") if many else hh.write(H, tmp_path / "h.npz")
    done = shell("info", name, "--format", "npz", "--json", input=(tmp_path / "h.npz").read_bytes())
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert [each["hyperedges"] for each in facts] == [2, 2] if many else facts["hyperedges"] == 2


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_standard_stream_needs_a_format(shell, name):
    done = shell("info", name, input=b"1 2\n")
    assert done.returncode == 2
    assert b"a standard stream has no name that says its format; give --format" in done.stderr


def test_a_pipe_is_read_once(tmp_path):
    hh.write(H, tmp_path / "h.npz")
    os.mkfifo(tmp_path / "pipe.npz")
    code = "import sys, hyperhedge as hh; print(hh.load_dataset(sys.argv[1]).hypergraph)"
    child = subprocess.Popen([sys.executable, "-c", code, tmp_path / "pipe.npz"], stdout=subprocess.PIPE, text=True)
    (tmp_path / "pipe.npz").write_bytes((tmp_path / "h.npz").read_bytes())
    assert child.communicate(timeout=60)[0] == "<Hypergraph: 2 nodes, 2 hyperedges, 3 incidences>\n"


# -- names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["[red]x.hif.json", "[bold]x[link=y].hif.json", "[[x]]:smile:.hif.json", "\x1b[31mx.hif.json"]
)
def test_names_are_shown_as_they_are(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    shown = name.replace("\x1b", "\\x1b")
    hh.write(H, name)
    code, out, _ = run("info", name)
    assert code == 0
    assert out.splitlines()[0].strip() == shown
    hh.write_collection([H, H], "c" + name + "l")
    code, out, _ = run("info", "c" + name + "l")
    assert code == 0
    assert out.splitlines()[0].strip() == f"c{shown}l: 2 hypergraphs"


def test_a_name_that_is_no_text(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff.hif.json"
    hh.write(H, os.fsdecode(name))
    done = subprocess.run([sys.executable, "-m", "hyperhedge", "info", name], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"\\udcff.hif.json" in done.stdout


@pytest.mark.parametrize("name", ["", "nowhere/h.txt", "h\0.txt"])
def test_names_of_nothing(run, name):
    code, _, err = run("info", name)
    assert (code, err.count("\n")) == (2, 1)
    with pytest.raises((hh.errors.FormatError, FileNotFoundError)):
        hh.read(name)


def test_an_empty_name_is_said_to_be_empty(run, tmp_path):
    hh.write(H, tmp_path / "h.json")
    for arguments in (("info", ""), ("convert", "", tmp_path / "o.txt"), ("convert", tmp_path / "h.json", "")):
        code, _, err = run(*arguments)
        assert code == 2
        assert "the name of the file is empty" in err
    for call in (hh.read, hh.read_collection, lambda name: hh.write(H, name)):
        with pytest.raises(hh.errors.FormatError, match="the name of the file is empty"):
            call("")


def test_links_that_lead_in_a_circle(run, tmp_path):
    (tmp_path / "a.hif.json").symlink_to(tmp_path / "b.hif.json")
    (tmp_path / "b.hif.json").symlink_to(tmp_path / "a.hif.json")
    loop = tmp_path / "a.hif.json"
    for call in (
        hh.read,
        lambda path: hh.write(H, path),
        resolved,
        lambda path: hh.read_collection(path, format="folder"),
    ):
        with pytest.raises(OSError, match=r"symbolic links|no such file"):
            call(loop)
    with pytest.raises(OSError, match="symbolic links"), atomic_folder(loop):
        pass
    hh.write(H, tmp_path / "h.json")
    for arguments in (
        ("info", loop),
        ("convert", tmp_path / "h.json", loop),
        ("convert", tmp_path / "h.json", loop / "x.txt"),
    ):
        code, _, err = run(*arguments)
        assert (code, err.count("\n")) == (2, 1)
    assert loop.is_symlink()


@pytest.mark.parametrize("name", ["x" * 244 + ".json", "é" * 122 + ".json", "🙂" * 61 + ".json", "🙂" * 63 + "xyz"])
def test_names_as_long_as_names_can_be(tmp_path, name):
    assert 249 <= len(os.fsencode(name)) <= 255
    hh.write(H, tmp_path / name, format="hif")
    assert hh.read(tmp_path / name, format="hif") == H
    hh.write_collection([H], tmp_path / (name[:-3] + "abc"), format="folder")
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / name).write_text("old")
    with pytest.raises(RuntimeError), atomic_file(tmp_path / name):
        raise RuntimeError
    assert (tmp_path / name).read_text() == "old"


# -- memory ------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is limited through Linux's rlimit")
def test_small_files_that_claim_much(tmp_path):
    """With 3 GiB of address space, nothing that these files claim could be allocated."""
    (tmp_path / "h.txt").write_text("#! hyperedge-list 1\n#! nodes 0..2147483646\n0 1\n")
    big = np.array([2**31 - 1, 1])
    one, zero = np.ones(1), np.zeros(1, dtype=np.int64)
    for name, shape in (("n.npz", big), ("m.npz", big[::-1])):
        np.savez(tmp_path / name, format=np.array(b"coo"), shape=shape, row=zero, col=zero, data=one)
    code = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from hyperhedge.cli import main
for name in sys.argv[1:]:
    try:
        main(["info", name])
    except SystemExit as end:
        print(end.code)
"""
    names = [str(tmp_path / name) for name in ("h.txt", "n.npz", "m.npz")]
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["2", "2", "2"], done.stderr
    assert done.stderr.count("claims 2,147,483,647 ") == 3


# -- labels ------------------------------------------------------------------------------------------

CONTROLS = [f"a{chr(k)}b" for k in itertools.chain(range(1, 32), range(127, 160))]


def test_control_characters_in_labels_survive_every_format(tmp_path):
    G = hh.Hypergraph([CONTROLS, CONTROLS[:3]], edges=["\x1b[31m", "\x07"])
    for name in ("h.hif.json", "h.txt", "h.csv", "h.tsv", "h.npz"):
        hh.write(G, tmp_path / name)
        assert hh.read(tmp_path / name) == G


def test_control_characters_in_labels_are_not_in_pictures(tmp_path):
    mpl.use("Agg")
    G = Hypergraph([CONTROLS[:8], CONTROLS[8:16]], edges=["\x1b[31m", "\x07"])
    ET.fromstring(G._repr_svg_())  # noqa: S314  # our own file
    for style in ("hull", "bipartite", "incidence"):
        figure = hh.plot(G, style=style).figure
        figure.savefig(tmp_path / "h.svg")
        plt.close(figure)
        ET.parse(tmp_path / "h.svg")  # noqa: S314
        assert not set(map(chr, itertools.chain(range(9), range(11, 32)))) & set((tmp_path / "h.svg").read_text())
