"""Clusters: every task has its result, whatever becomes of the processes."""

import sys

import pytest

from cluster_tasks import square, trouble
from hyperhedge._system.pool import Local, Ray, make_cluster, usable_cores
from hyperhedge.errors import HyperhedgeError, MissingDependencyError, WorkerDiedError


def test_two_workers_do_what_one_does():
    assert sorted(task for task, _ in Local(1).run(square, range(5))) == [0, 1, 2, 3, 4]
    squares = dict(Local(2).run(square, range(5)))
    assert squares == {k: (k * k, "1") for k in range(5)}  # with one thread of arithmetic each


def test_what_fails_stops_nobody():
    outcomes = dict(Local(1).run(trouble, [("fail", ""), ("good", "")]))
    assert repr(outcomes["fail", ""]) == "ValueError('it fails')"
    assert outcomes["good", ""] == "good"


def test_a_task_whose_process_dies_is_tried_again_and_no_other_is_blamed(tmp_path):
    tasks = [("die", str(tmp_path / "a")), ("die once", str(tmp_path / "b")), ("fail", "")]
    tasks += [("good", str(k)) for k in range(5)]
    pairs = list(Local(2).run(trouble, tasks))
    outcomes = dict(pairs)
    assert sorted(task for task, _ in pairs) == sorted(tasks)  # each once
    assert isinstance(outcomes[tasks[0]], WorkerDiedError)
    assert outcomes[tasks[1]] == "die once"
    assert repr(outcomes[tasks[2]]) == "ValueError('it fails')"
    assert {outcomes[task] for task in tasks[3:]} == {"good"}


def test_a_task_that_was_only_beside_one_that_died_has_two_tries_of_its_own(tmp_path, monkeypatch):
    """The pool breaks before it has begun, as on a slow machine: what it then does alone is its first time."""

    def broken(_cluster, _function, waiting):
        suspects = list(waiting)
        waiting.clear()
        return suspects
        yield

    monkeypatch.setattr(Local, "_until_one_dies", broken)
    tasks = [("die", str(tmp_path / "a")), ("die once", str(tmp_path / "b"))]
    outcomes = dict(Local(2).run(trouble, tasks))
    assert isinstance(outcomes[tasks[0]], WorkerDiedError)
    assert outcomes[tasks[1]] == "die once"


def test_one_can_stop_early():
    outcomes = Local(2).run(square, range(100))
    next(outcomes)
    outcomes.close()
    assert list(outcomes) == []


def test_clusters_by_name(monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert make_cluster() == Local(usable_cores())
    assert make_cluster("ray", workers=3) == Ray(3)
    assert make_cluster("ray", workers=3, address="auto") == Ray(3, "auto")
    assert make_cluster("ray://here:1", workers=3) == Ray(3, "ray://here:1")
    monkeypatch.setenv("RAY_ADDRESS", "there:2")
    assert make_cluster("ray", workers=3) == Ray(3, "there:2")
    assert make_cluster("ray://here:1", workers=3) == Ray(3, "ray://here:1")
    with pytest.raises(HyperhedgeError, match="the cluster local has no address"):
        make_cluster("local", address="auto")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependencyError, match=r"this needs ray: pip install 'hyperhedge\[ray\]'"):
        next(Ray(1).run(square, [1]))


class FakeRay:
    """A Ray that computes at once, to see what is asked of it; tests/bench/test_ray.py has the real one."""

    class exceptions:  # noqa: N801
        RayError = type("RayError", (Exception,), {})
        RayTaskError = type("RayTaskError", (RayError,), {"cause": None})

    def __init__(self):
        self.calls = []

    def init(self, **options):
        self.calls.append(options)
        if options.get("address") == "ray://nowhere":
            raise ConnectionError("no answer")

    def shutdown(self):
        self.calls.append("shutdown")

    def remote(self, **options):
        self.calls.append(options)

        def wrap(function):
            function.remote = lambda task: [function, task]
            return type("Remote", (), {"remote": staticmethod(lambda task: Reference(function, task))})

        return wrap

    def wait(self, references, num_returns):
        return references[:num_returns], references[num_returns:]

    def get(self, reference):
        kind = reference.task[0]
        if kind == "die":
            raise self.exceptions.RayError
        if kind == "fail":
            error = self.exceptions.RayTaskError()
            error.cause = ValueError("it fails")
            raise error
        return reference.function(reference.task)


class Reference:
    def __init__(self, function, task):
        self.function, self.task = function, task


def test_what_is_asked_of_ray(monkeypatch):
    fake = FakeRay()
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.setitem(sys.modules, "ray", fake)
    outcomes = dict(Ray(2).run(trouble, [("good", ""), ("fail", ""), ("die", "")]))
    assert outcomes["good", ""] == "good"
    assert repr(outcomes["fail", ""]) == "ValueError('it fails')"
    assert isinstance(outcomes["die", ""], WorkerDiedError)
    start, task, end = fake.calls
    assert (start["address"], start["num_cpus"]) == ("local", 2)
    assert start["runtime_env"]["env_vars"]["OMP_NUM_THREADS"] == "1"
    assert (task["max_retries"], end) == (1, "shutdown")
    with pytest.raises(
        HyperhedgeError, match=r"at ray://nowhere cannot be reached \(if .* RAY_AUTH_MODE=token\): no answer"
    ):
        next(Ray(2, "ray://nowhere").run(square, [1]))
    assert "num_cpus" not in fake.calls[-1]
