"""``--seed``: without it, a fresh seed is chosen and printed; with the printed one, everything is as before."""

import json
import re

import pytest

import hyperhedge as hh
from small_hedge import quick


@pytest.fixture
def bank(tmp_path):
    path = tmp_path / "bank.hif.jsonl"
    hh.write_collection(hh.load_dataset("committee").bank(8, 5, 8, seed=0), path)
    return path


@pytest.fixture
def baseline(bank, tmp_path):
    hh.ErdosRenyi().fit(hh.read_collection(bank)).save(tmp_path / "model")
    return tmp_path / "model"


def printed_seed(err):
    (line,) = [line for line in err.splitlines() if line.startswith("Seed: ")]
    seed, again = re.fullmatch(r"Seed: (\d+) \(chosen at random; repeat with --seed (\d+)\)", line).groups()
    assert seed == again
    assert int(seed) < 2**32
    return seed


@pytest.mark.parametrize("command", ["sample", "data bank"])
def test_two_runs_differ_and_the_printed_seed_repeats_one(run, baseline, tmp_path, command):
    arguments = (*command.split(), "committee" if command == "data bank" else baseline, "--count", 9)
    seeds = []
    for name in ("first", "second"):
        code, out, err = run(*arguments, "--out", tmp_path / f"{name}.hif.jsonl")
        assert (code, out) == (0, "")
        seeds.append(printed_seed(err))
    code, _, err = run(*arguments, "--seed", seeds[0], "--out", tmp_path / "again.hif.jsonl")
    assert (code, "Seed: " in err) == (0, False)
    first, second, again = ((tmp_path / f"{name}.hif.jsonl").read_bytes() for name in ("first", "second", "again"))
    assert first == again != second
    assert seeds[0] != seeds[1]


def test_a_report_says_how_to_repeat_it(run, bank, tmp_path):
    arguments = ("evaluate", bank, bank, "--metric", "degree_wd")
    _, _, err = run(*arguments, "--html", tmp_path / "r.html", "--json", tmp_path / "first.json")
    seed = printed_seed(err)
    assert f"--json {tmp_path / 'first.json'} --seed {seed}\n" in (tmp_path / "r.html").read_text().replace("<", "\n")
    run(*arguments, "--seed", seed, "--json", tmp_path / "again.json")
    first, again = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("first", "again"))
    assert first["details"] == again["details"]


def test_a_plot_is_the_same_every_time(run, bank, tmp_path):
    plot = ("plot", bank, "--member", 0, "--dpi", 40, "--out")
    for name in ("first.png", "again.png"):
        code, _, err = run(*plot, tmp_path / name)
        assert (code, "Seed: " in err) == (0, False)
    assert run(*plot, tmp_path / "other.png", "--seed", 1)[0] == 0
    first, again, other = ((tmp_path / f"{name}.png").read_bytes() for name in ("first", "again", "other"))
    assert first == again != other


def test_an_animation_can_be_repeated(run, bank, tmp_path):
    quick(steps=2).fit(hh.read_collection(bank)).save(tmp_path / "model")
    animate = ("animate", tmp_path / "model", "--dpi", 30, "--out")
    seed = printed_seed(run(*animate, tmp_path / "first.gif")[2])
    assert run(*animate, tmp_path / "again.gif", "--seed", seed)[0] == 0
    assert (tmp_path / "first.gif").read_bytes() == (tmp_path / "again.gif").read_bytes()
