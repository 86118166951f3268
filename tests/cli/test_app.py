"""What all commands share: errors, help, colours, pipes and completion."""

import subprocess
import sys

import pytest

import hyperhedge as hh

COMMANDS = ("fit", "sample", "evaluate", "compare", "null-test", "plot", "animate", "info", "convert", "demo")
H = hh.Hypergraph({"x": ["a", "b"], "y": ["b", "c"], "z": ["b", "a"]}, nodes=["a", "b", "c", "lonely"])


@pytest.fixture
def file(tmp_path):
    hh.write(H, tmp_path / "h.hif.json")
    return tmp_path / "h.hif.json"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["info"], "Missing argument 'FILE'"),
        (["info", "missing.json"], "missing.json: no such file or directory"),
        (["info", "missing"], "missing: no such file or folder"),
        (["info", "nothing"], "the folder holds no HIF files"),
        (["info", "a.xml"], "a.xml: the name does not tell the format"),
        (["info", "a.json", "--format", "yaml"], "there is no format 'yaml'; use one of hif, "),
        (["info", "a.json", "--node-column", "x"], "the format hif has no option 'node_column'"),
        (["info", "--jso", "a"], "No such option"),
        (["info", "-"], "a standard stream has no name that says its format; give --format"),
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


def test_help_and_version(run):
    assert run("--version")[:2] == (0, f"hyperhedge {hh.__version__}\n")
    code, out, _ = run("--help")
    assert code == 0
    assert all(command in out for command in COMMANDS)
    code, out, _ = run()
    assert code == 2
    assert "Usage" in out
    for command in (*COMMANDS, "data bank"):
        assert "Example: hyperhedge " + command in " ".join(run(*command.split(), "-h")[1].split()), command


def test_pipes_get_no_colours_and_terminals_can_refuse_them(shell, file):
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
def test_shell_completion_is_offered(shell, name):
    done = shell("--show-completion", name, env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert done.returncode == 0
    assert b"_HYPERHEDGE_COMPLETE" in done.stdout


def test_commands_are_completed(shell):
    asked = shell(env={"_HYPERHEDGE_COMPLETE": "complete_bash", "COMP_WORDS": "hyperhedge in", "COMP_CWORD": "1"})
    assert asked.stdout.split() == [b"info"]


def test_formats_are_completed(shell):
    asked = shell(
        env={
            "_HYPERHEDGE_COMPLETE": "complete_bash",
            "COMP_WORDS": "hyperhedge info --format hy",
            "COMP_CWORD": "3",
        }
    )
    assert asked.stdout.split() == [b"hyperedge-list"]
