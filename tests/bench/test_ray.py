"""The runner on a real Ray of two workers, one of which is killed at work: nothing is lost."""

import fcntl
import importlib.util
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import hyperhedge as hh
from bench_experiments import HEDGE, TINY
from hyperhedge._system.pool import Local
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.record import read_record
from hyperhedge.bench.runner import run_experiment

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None, reason="ray is not installed: pip install 'hyperhedge[ray]'"
    ),
    pytest.mark.usefixtures("one_at_a_time"),
]


@pytest.fixture
def one_at_a_time():
    """Wait for the other processes of a parallel test run: two Rays would fight for ports and for two cores."""
    with (Path(tempfile.gettempdir()) / "hyperhedge-ray.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def workers_of(pid):
    """Find the Ray processes under a process that work on a cell."""
    parents, titles = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            titles[int(folder.name)] = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended

    def under(process):
        while process in parents:
            process = parents[process]
            if process == pid:
                return True
        return False

    return [process for process, title in titles.items() if title.startswith(b"ray::run_job") and under(process)]


def test_a_worker_that_is_killed_loses_nothing(tmp_path):
    file = tmp_path / "tiny.toml"
    file.write_text(TINY + HEDGE.replace("iterations = 3", "iterations = 60"), encoding="utf-8")
    command = [sys.executable, "-m", "hyperhedge", "bench", "run", str(file), "--cluster", "ray", "--jobs", "2"]
    process = subprocess.Popen([*command, "--results", str(tmp_path / "ray")], stderr=subprocess.PIPE, text=True)
    killed = []
    try:
        while process.poll() is None and not killed:
            for worker in workers_of(process.pid)[:1]:
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)
            time.sleep(0.02)
        _, printed = process.communicate(timeout=400)
    finally:
        process.kill()
    assert killed
    assert process.returncode == 0, printed
    assert "10 cells done" in printed
    run_experiment(read_experiment(file), tmp_path / "local", Local(1))
    for record in (tmp_path / "local").glob("*/*.json"):
        other = tmp_path / "ray" / record.relative_to(tmp_path / "local")
        assert read_record(record).results() == read_record(other).results()


@pytest.fixture
def standing_cluster(monkeypatch, one_at_a_time):  # noqa: ARG001  # before it, not after it
    """Start a Ray beside the commands, as on other machines, that asks for its token; return its address."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.setenv("PYTHONPATH", str(Path(hh.__file__).parents[1]))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    head = ["start", "--head", "--block", "--node-ip-address=127.0.0.1", f"--port={port}", "--num-cpus=2"]
    program = Path(sys.executable).parent / "ray"
    cluster = subprocess.Popen([program, *head, "--include-dashboard=false"], stdout=subprocess.PIPE, text=True)
    try:
        assert any("Ray runtime started" in line for line in cluster.stdout)
        yield f"127.0.0.1:{port}"
    finally:
        cluster.terminate()
        cluster.communicate(timeout=60)


def command(*arguments):
    """Run the command line in a process of its own: Ray keeps what it read from the environment once."""
    arguments = [sys.executable, "-m", "hyperhedge", *map(str, arguments)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def sample_both_ways(folder):
    """Sample with a Ray that is started for it, and without; both have to give the same."""
    hh.ErdosRenyi().fit(hh.load_dataset("committee").bank(8, 5, 10, seed=0)).save(folder / "model")
    for name in ("ray", "local"):
        options = "sample", folder / "model", "--count", 1500, "--seed", 0, "--cluster", name, "--jobs", 2
        command(*options, "--out", folder / f"{name}.npz")
    assert hh.read_collection(folder / "ray.npz") == hh.read_collection(folder / "local.npz")


@pytest.mark.full
@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_running_cluster_is_used_by_its_address(by, tmp_path, monkeypatch, standing_cluster):
    file = tmp_path / "tiny.toml"
    file.write_text(TINY, encoding="utf-8")
    if by == "environment":
        monkeypatch.setenv("RAY_ADDRESS", standing_cluster)
    address = ["--address", standing_cluster] if by == "option" else []
    command("bench", "run", file, "--cluster", "ray", *address, "--results", tmp_path / "ray")
    run_experiment(read_experiment(file), tmp_path / "local", Local(1))
    records = list((tmp_path / "local").glob("*/*.json"))
    assert records
    for record in records:
        other = tmp_path / "ray" / record.relative_to(tmp_path / "local")
        assert read_record(record).results() == read_record(other).results()


def test_samples_by_ray_are_those_of_this_machine(tmp_path):
    sample_both_ways(tmp_path)


@pytest.mark.full
@pytest.mark.usefixtures("standing_cluster")
def test_a_running_cluster_is_left_alone_without_its_address(tmp_path):
    sample_both_ways(tmp_path)


@pytest.mark.full
def test_traces_of_a_cluster_that_has_ended_do_not_matter(tmp_path):
    traces = Path("/tmp/ray")  # noqa: S108  # Ray's own
    traces.mkdir(exist_ok=True)
    trace = traces / "ray_current_cluster"
    before = trace.read_text() if trace.exists() else None
    trace.write_text("127.0.0.1:1")
    try:
        sample_both_ways(tmp_path)
    finally:
        trace.unlink(missing_ok=True) if before is None else trace.write_text(before)
