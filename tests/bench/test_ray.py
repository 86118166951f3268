"""The runner on a real Ray of two workers, one of which is killed at work: nothing is lost."""

import importlib.util
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hyperhedge
from bench_experiments import HEDGE, TINY
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.bench.record import read_record
from hyperhedge.bench.runner import run_experiment
from hyperhedge.cluster import Local

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="ray is not installed: pip install 'hyperhedge[ray]'"
)


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
        _, told = process.communicate(timeout=400)
    finally:
        process.kill()
    assert killed
    assert process.returncode == 0, told
    assert "10 cells done" in told
    run_experiment(read_experiment(file), tmp_path / "local", Local(1))
    for record in (tmp_path / "local").glob("*/*.json"):
        other = tmp_path / "ray" / "tiny" / record.relative_to(tmp_path / "local")
        assert read_record(record).results() == read_record(other).results()


def test_a_cluster_that_is_there_is_used_by_its_address(tmp_path, monkeypatch, run):
    """One is started beside the command, as on other machines, and asks for its token."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.setenv("PYTHONPATH", str(Path(hyperhedge.__file__).parents[1]))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    head = ["start", "--head", "--block", "--node-ip-address=127.0.0.1", f"--port={port}", "--num-cpus=2"]
    program = Path(sys.executable).parent / "ray"
    cluster = subprocess.Popen([program, *head, "--include-dashboard=false"], stdout=subprocess.PIPE, text=True)
    try:
        assert any("Ray runtime started" in line for line in cluster.stdout)
        file = tmp_path / "tiny.toml"
        file.write_text(TINY, encoding="utf-8")
        address = "--cluster", "ray", "--address", f"127.0.0.1:{port}"
        code, _, err = run("bench", "run", file, *address, "--results", tmp_path / "ray")
        assert code == 0, err
    finally:
        cluster.terminate()
        cluster.communicate(timeout=60)
    run_experiment(read_experiment(file), tmp_path / "local", Local(1))
    records = list((tmp_path / "local").glob("*/*.json"))
    assert records
    for record in records:
        other = tmp_path / "ray" / "tiny" / record.relative_to(tmp_path / "local")
        assert read_record(record).results() == read_record(other).results()


def test_samples_by_ray_are_those_of_this_machine(tmp_path, run):
    import hyperhedge as hh

    hh.ErdosRenyi().fit(hh.load_dataset("committee").bank(8, 5, 10)).save(tmp_path / "model")
    for name in ("ray", "local"):
        code, _, err = run(
            *("sample", tmp_path / "model", "--count", 1500, "--cluster", name, "--jobs", 2),
            *("--out", tmp_path / f"{name}.npz"),
        )
        assert code == 0, err
    assert hh.read_collection(tmp_path / "ray.npz") == hh.read_collection(tmp_path / "local.npz")
