"""Requests that are too large: one sentence, exit code 2, no traceback, and no file left behind."""

import errno
import importlib
import shlex
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import hyperhedge as hh
from bench_experiments import TINY
from small_hygene import QUICK as HYGENE

BILLION, TRILLION = 10**9, 10**12

command_line = importlib.import_module("hyperhedge.cli.app")  # the module; the package has the application by this name


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a bank, a single hypergraph, an experiment, and a saved model of each kind."""
    folder = tmp_path_factory.mktemp("made")
    bank = hh.load_dataset("committee").bank(12, 6, 24, seed=0)
    hh.write_collection(bank, folder / "bank.hif.jsonl")
    H = hh.Hypergraph([[k % 300, (7 * k + 1) % 300, (k * k) % 300] for k in range(1000)], nodes=300)
    hh.write(H, folder / "contact.txt")
    tiny = {"iterations": 1, "width": 16, "channels": 8, "blocks": 1, "workers": 1, "seed": 0}
    hh.Hedge(**tiny).fit(bank).save(folder / "hedge")
    hh.Hygene(**HYGENE).fit(bank).save(folder / "hygene")
    hh.ErdosRenyi().fit(bank).save(folder / "er")
    (folder / "mine.toml").write_text(TINY)
    return folder


@pytest.fixture
def refused(run, made, monkeypatch):
    """Run a command that is refused, and return its sentence."""

    def call(command):
        monkeypatch.chdir(made)
        before = sorted(made.rglob("*"))
        code, out, err = run(*shlex.split(command))
        assert (code, out) == (2, "")
        assert err.startswith("Error: ")
        assert err.count("\n") == 1
        assert sorted(made.rglob("*")) == before
        return err.removeprefix("Error: ")

    return call


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (f"fit bank.hif.jsonl -o m --seed 0 --set width={16 * 10**8}", "training needs "),
        (f"fit bank.hif.jsonl -o m --seed 0 --set width={16 * BILLION}", "width must be at most 2,147,483,648"),
        (f"fit bank.hif.jsonl -o m --seed 0 --set blocks={BILLION}", "training needs "),
        (f"fit bank.hif.jsonl -o m --seed 0 --set batch_size={TRILLION}", "training needs "),
        (f"fit bank.hif.jsonl -o m --seed 0 --set workers={TRILLION} --set batch_size={TRILLION}", "training needs "),
        (f"fit bank.hif.jsonl -o m --seed 0 --model hygene --set hidden={BILLION}", "training needs "),
        (f"fit bank.hif.jsonl -o m --seed 0 --model hygene --set layers={BILLION}", "training needs "),
        (
            f"fit bank.hif.jsonl -o m --model block-model --set groups={BILLION}",
            "counting between 1,000,000,000 groups needs",
        ),
        (
            "fit bank.hif.jsonl -o m --seed 0 --memory 1M",
            "MiB of memory, and the limit is 1 MiB; give a smaller batch_size",
        ),
        ("fit bank.hif.jsonl -o m --seed 0 --memory much", "'much' is not a size of memory"),
        (
            f"fit bank.hif.jsonl -o m --seed 0 --processes {10**6} --set batch_size={10**6}",
            "running 1,000,000 processes needs",
        ),
        (f"sample hedge -o x.npz --seed 0 --count {TRILLION}", "sampling needs "),
        (f"sample hedge -o x.npz --seed 0 --count {10**30}", "sampling needs "),
        (f"sample hedge -o x.npz --seed 0 --count 2 --nodes {BILLION}", "sampling needs "),
        (f"sample hedge -o x.npz --seed 0 --count 2 --edges {10**40}", "sampling needs "),
        (f"sample hedge -o x.npz --seed 0 --count 2 --steps {TRILLION}", "steps must be at most 100,000"),
        ("sample hedge -o x.npz --seed 0 --count 2 --memory 1K", "and the limit is 1 KiB; sample fewer"),
        (f"sample hygene -o x.npz --seed 0 --count {TRILLION}", "sampling 1,000,000,000,000 hypergraphs needs "),
        (f"sample hygene -o x.npz --seed 0 --count 2 --nodes {BILLION}", "sampling needs "),
        (f"sample hygene -o x.npz --seed 0 --count 2 --steps {TRILLION}", "sampling needs "),
        (f"sample er -o x.npz --seed 0 --count {TRILLION}", "sampling 1,000,000,000,000 hypergraphs needs "),
        (f"sample er -o x.npz --seed 0 --count 5 --jobs {10**6}", "running 1,000,000 processes needs about 122 TiB"),
        (f"sample er -o x.npz --seed 0 --count {TRILLION} --jobs 2", "a list of 1,000,000,000 chunks needs "),
        (f"animate hedge -o x.gif --seed 0 --steps {TRILLION}", "steps must be at most 100,000"),
        (f"data bank committee -o x.npz --seed 0 --count {TRILLION}", "sampling needs "),
        (f"data bank committee -o x.npz --seed 0 -n {BILLION} -m 5 --count 1", "sampling needs "),
        (f"data bank committee -o x.npz --seed 0 -n 8:{BILLION} -m 5:{BILLION}", "sampling needs "),
        (f"data bank committee -o x.npz --seed 0 --split {TRILLION},1,1", "sampling needs "),
        (f"data bank contact.txt -o x.npz --seed 0 -n 9 -m 9 --count {TRILLION}", "sampling needs "),
        (f"data bank contact.txt -o x.npz --seed 0 -n {BILLION} -m 9", "n=1000000000 is more than the 300 nodes"),
        ("evaluate bank.hif.jsonl bank.hif.jsonl --seed 0 --json x.json --memory 1M", "evaluating needs about "),
        (f"bench run mine.toml --jobs {10**6}", "running 1,000,000 processes needs about 122 TiB"),
    ],
)
def test_too_large_a_request_is_refused_in_a_sentence(refused, command, sentence):
    assert sentence in refused(command)


@pytest.mark.parametrize("model", ["hedge", "hygene"])
def test_one_large_hypergraph_is_refused_with_the_command_that_cuts_it_into_pieces(refused, run, tmp_path, model):
    sentence = refused(f"fit contact.txt --model {model} --out m")
    assert sentence.startswith(
        f"contact.txt: this is one hypergraph of 300 nodes and 1,000 hyperedges, too large for {model} to learn as a whole; "
        "sample a bank of its pieces and fit that: hyperhedge data bank contact.txt "
    )
    command = shlex.split(sentence.partition(": hyperhedge ")[2])
    command[command.index("bank.hif.jsonl")] = tmp_path / "bank.hif.jsonl"
    assert run(*command, "--count", 5)[0] == 0
    assert all(H.n * H.m < 300 * 100 for H in hh.read_collection(tmp_path / "bank.hif.jsonl"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"bootstrap": TRILLION}, "evaluating needs about .* smaller bootstrap="),
        ({"floor_repeats": TRILLION}, "evaluating needs about .* floor_repeats="),
        ({"bootstrap": 10**40}, "evaluating needs more than 1,000 PiB"),
        ({"permutations": TRILLION}, "permutations= must be a whole number from 1 to 1000000, not 1000000000000"),
    ],
)
def test_an_evaluation_in_python_is_refused_too(made, options, sentence):
    bank = hh.read_collection(made / "bank.hif.jsonl")
    with pytest.raises(hh.errors.HyperhedgeError, match=sentence):
        hh.evaluate(bank, bank, seed=0, **options)


@pytest.mark.parametrize("style", ["hull", "bipartite"])
def test_a_huge_hypergraph_is_not_plotted_vertex_by_vertex(run, tmp_path, style):
    hh.write(hh.Hypergraph([[k, k + 1] for k in range(9000)], nodes=9001), tmp_path / "long.txt")
    code, _, err = run("plot", tmp_path / "long.txt", "--style", style, "--out", tmp_path / "long.png")
    assert (code, err.count("\n")) == (2, 1)
    assert "plot a subhypergraph" in err
    assert [path.name for path in tmp_path.iterdir()] == ["long.txt"]


def allocate_by_torch():
    torch.empty(2**60, dtype=torch.uint8)


def overflow_torch():
    torch.empty((2**40, 2**40))


def allocate_by_numpy():
    np.zeros(2**60, dtype=np.uint8)


def exceed_numpy():
    np.zeros((2**62, 2**62))


def nest():
    nest()


def raised(error):
    def raise_it():
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("fail", "sentence"),
    [
        (allocate_by_torch, "there is not enough memory: an allocation of more than 1,000 PiB failed"),
        (overflow_torch, "there is not enough memory: an allocation failed"),
        (allocate_by_numpy, "there is not enough memory: an allocation of 1.00 EiB failed"),
        (exceed_numpy, "there is not enough memory: an allocation failed"),
        (raised(MemoryError()), "there is not enough memory: an allocation failed ("),
        (raised(RuntimeError("can't start new thread")), "there is not enough memory"),
        (
            raised(RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU")),
            "an allocation of 2.00 GiB failed",
        ),
        (raised(OSError(errno.ENOMEM, "Cannot allocate memory")), "cannot allocate memory"),
        (lambda: np.int64(10**30), "a number is too large to compute with"),
        (lambda: torch.Generator().manual_seed(10**30), "a number is too large to compute with"),
        (nest, "the input is nested too deeply"),
    ],
)
def test_what_was_not_foreseen_is_a_sentence_too(run, monkeypatch, fail, sentence):
    monkeypatch.setattr(command_line, "app", lambda *_, **__: fail())
    code, out, err = run("info")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("Error: ")
    assert sentence in err


@pytest.mark.parametrize("error", [RuntimeError("a bug"), ValueError("a bug"), TypeError("a bug"), KeyError("memory")])
def test_a_bug_is_not_explained_away(monkeypatch, error):
    monkeypatch.setattr(command_line, "app", lambda *_, **__: raised(error)())
    monkeypatch.setattr(command_line, "end_with_parent", SimpleNamespace)
    with pytest.raises(type(error)):
        command_line.main(["info"])


def test_memory_makes_smaller_batches(run, made, monkeypatch, tmp_path):
    seen = []
    before = hh.Hedge.sample_paths
    monkeypatch.setattr(
        hh.Hedge, "sample_paths", lambda self, *a, **k: seen.append(k.get("memory")) or before(self, *a, **k)
    )
    for size in ("8GiB", "1GiB"):
        out = tmp_path / f"{size}.npz"
        assert run("sample", made / "hedge", "--count", 1, "--seed", 0, "--memory", size, "--out", out)[0] == 0
    assert seen == [2**30, 2**29]
