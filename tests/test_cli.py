"""The command line as a user and a script meet it."""

import json
import os
import re
import subprocess
import sys

import pytest

import hyperhedge as hh

H = hh.Hypergraph({"x": ["a", "b"], "y": ["b", "c"], "z": ["b", "a"]}, nodes=["a", "b", "c", "lonely"])


def shell(*arguments, **options):
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "hyperhedge", *map(str, arguments)],
        capture_output=True,
        check=False,
        env=environment,
        **options,
    )


@pytest.fixture
def file(tmp_path):
    hh.write(H, tmp_path / "h.hif.json")
    return tmp_path / "h.hif.json"


def test_info_for_people(run, file):
    code, out, err = run("info", file)
    assert (code, err) == (0, "")
    for fact in ("nodes", "hyperedges", "0.5", "isolated nodes", "repeated hyperedges"):
        assert fact in out


def test_info_for_scripts(run, file):
    code, out, err = run("info", file, "--json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts == {
        "nodes": 4,
        "hyperedges": 3,
        "incidences": 6,
        "density": 0.5,
        "degree": {"min": 0, "mean": 1.5, "max": 3},
        "size": {"min": 2, "mean": 2.0, "max": 2},
        "isolated_nodes": 1,
        "empty_hyperedges": 0,
        "repeated_hyperedges": 1,
        "components": 2,
        "overlapping_pairs": 3,
        "largest_overlap": 2,
    }


@pytest.mark.parametrize("name", ["c.npz", "c.hif.jsonl", "c"])
def test_info_of_a_collection(run, tmp_path, name):
    hh.write_collection([H, hh.Hypergraph()], tmp_path / name)
    code, out, _ = run("info", tmp_path / name)
    assert code == 0
    assert "2 hypergraphs" in " ".join(out.split())  # a long path breaks the line
    code, out, _ = run("info", tmp_path / name, "--json")
    assert [facts["nodes"] for facts in json.loads(out)] == [4, 0]


@pytest.mark.parametrize("name", ["o.txt", "o.csv", "o.tsv.gz", "o.npz", "o.json"])
def test_convert(run, file, name):
    target = file.parent / name
    code, out, err = run("convert", file, target)
    assert (code, out) == (0, "")
    assert "4 nodes, 3 hyperedges, 6 incidences" in err
    assert hh.read(target) == H


def test_convert_between_one_and_many(run, file):
    folder = file.parent
    assert run("convert", file, folder / "c.hif.jsonl")[0] == 0
    assert hh.read_collection(folder / "c.hif.jsonl") == [H]
    assert run("convert", folder / "c.hif.jsonl", folder / "c.npz")[0] == 0
    assert hh.read_collection(folder / "c.npz") == [H]
    code, _, err = run("convert", folder / "c.npz", folder / "o.csv")
    assert code == 2
    assert "this format holds one hypergraph" in err
    assert not (folder / "o.csv").exists()


def test_convert_with_formats_and_columns(run, tmp_path):
    (tmp_path / "data").write_text("paper,author\nx,a\nx,b\n")
    columns = ("--node-column", "author", "--edge-column", "paper")
    target = tmp_path / "out"
    code, _, _ = run("convert", tmp_path / "data", target, "--from", "bipartite", "--to", "hif", *columns)
    assert code == 0
    assert hh.read(target, format="hif") == hh.Hypergraph({"x": ["a", "b"]})


def test_standard_streams(file):
    text = file.read_bytes()
    done = shell("convert", "-", "-", "--from", "hif", "--to", "bipartite", input=text)
    assert done.returncode == 0
    assert done.stdout.startswith(b"node,edge\n")
    packed = shell("convert", "-", "-", "--from", "bipartite", "--to", "npz", input=done.stdout)
    assert packed.stdout[:2] == b"PK"
    assert shell("info", "-", input=text).returncode == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["info"], "Missing argument 'FILE'"),
        (["info", "missing.json"], "missing.json: no such file or directory"),
        (["info", "missing"], "missing: no such file or folder"),
        (["info", "nothing"], "the folder holds no HIF files"),
        (["info", "a.xml"], "a.xml: the format is not clear from the name"),
        (["info", "a.json", "--format", "yaml"], "there is no format 'yaml'; choose from hif, "),
        (["info", "a.json", "--node-column", "x"], "the format hif has no option 'node_column'"),
        (["info", "--jso", "a"], "No such option"),
        (["info", "-"], "a standard stream has no name to tell its format"),
        (["convert", "a.json"], "Missing argument 'OUT'"),
        (["bake"], "No such command 'bake'"),
        (["info", "bad.json"], "bad.json: the JSON is nested too deeply"),
        (["convert", "bad.txt", "out.json"], "bad.txt, line 2: the number -3 is not an id"),
        (["convert", "good.txt", "no/such/folder.json"], "no such file or directory"),
        (["demo", "--out", "good.txt"], "good.txt: file exists"),
    ],
)
def test_errors_are_one_sentence_on_standard_error_and_exit_code_2(run, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_bytes(b'{"metadata":' + b"[" * 100_000)
    (tmp_path / "bad.txt").write_text("1 2\n2 -3\n")
    (tmp_path / "good.txt").write_text("1 2\n")
    (tmp_path / "nothing").mkdir()
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert sentence in err
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_left_out_is_noted(run, tmp_path):
    (tmp_path / "w.json").write_text('{"incidences":[{"node":1,"edge":1,"weight":3}]}')
    code, _, err = run("convert", tmp_path / "w.json", tmp_path / "o.txt")
    assert code == 0
    assert err.startswith("Note: left out on reading: 1 weights\n")


def test_help_and_version(run):
    assert run("--version")[:2] == (0, f"hyperhedge {hh.__version__}\n")
    code, out, _ = run("--help")
    assert code == 0
    assert all(command in out for command in ("info", "convert", "demo"))
    code, out, _ = run()
    assert code == 2
    assert "Usage" in out
    for command in ("info", "convert", "demo"):
        assert "Usage" in run(command, "-h")[1]


def test_pipes_get_no_colours_and_terminals_can_refuse_them(file):
    assert b"\x1b[" not in shell("info", file).stdout
    forced = {"FORCE_COLOR": "1", "TERM": "xterm"}
    assert b"\x1b[" in shell("info", file, env=forced).stdout
    plain = shell("info", file, env={**forced, "NO_COLOR": "1"}).stdout
    assert b"\x1b[3" not in plain  # bold and dim remain, colours go


def test_a_reader_that_goes_away_is_no_error(file):
    command = f"{sys.executable} -m hyperhedge info {file} --json | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shell_completion_is_offered(name):
    done = shell("--show-completion", name, env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert done.returncode == 0
    assert b"_HYPERHEDGE_COMPLETE" in done.stdout


def test_commands_are_completed():
    asked = shell(env={"_HYPERHEDGE_COMPLETE": "complete_bash", "COMP_WORDS": "hyperhedge in", "COMP_CWORD": "1"})
    assert asked.stdout.split() == [b"info"]


def test_formats_are_completed():
    asked = shell(
        env={
            "_HYPERHEDGE_COMPLETE": "complete_bash",
            "COMP_WORDS": "hyperhedge info --format hy",
            "COMP_CWORD": "3",
        }
    )
    assert asked.stdout.split() == [b"hyperedge-list"]


def test_demo(run, tmp_path):
    (tmp_path / "demo").mkdir()
    hh.ErdosRenyi().fit([hh.Hypergraph([[0, 1]])]).save(tmp_path / "demo" / "model")  # as an earlier run leaves one
    code, out, err = run("demo", "--quick", "--out", tmp_path / "demo")
    assert (code, err) == (0, "")
    assert "18 women, 14 events, 89 attendances" in out
    assert "100 of them are among the 13, and 13 of the 13 appear" in " ".join(out.split())
    assert hh.read(tmp_path / "demo" / "women.csv").n == 18
    assert (tmp_path / "demo" / "women.svg").read_text().startswith("<svg")
    page = (tmp_path / "demo" / "report.html").read_text()
    assert all(f'id="{section}"' in page for section in ("verdict", "distributions", "gallery", "player", "recipe"))
    new = hh.read_collection(tmp_path / "demo" / "new.hif.jsonl")
    assert new == hh.load(tmp_path / "demo" / "model").sample(12, seed=2)
    assert {"HCM", "ER-HG"} <= set(re.findall(r"[\w-]+(?= [01]\.\d\d)", out.split("Fidelity of 1:")[1]))
