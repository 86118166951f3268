"""Samples in chunks: those of each chunk's seed, in order, whichever worker is done first."""

import pytest

import hyperhedge as hh
from hyperhedge.errors import GeneratorError
from hyperhedge.models.chunks import Chunk, chunks_of, sample_chunk, sample_in_chunks
from small_hedge import quick
from strategies import random_hypergraphs


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the folders of two saved models, one of them learned."""
    folder = tmp_path_factory.mktemp("models")
    training = random_hypergraphs(4, 8, 5, seed=0)
    hh.ErdosRenyi().fit(training).save(folder / "erdos-renyi")
    quick().fit(training).save(folder / "hedge")
    return folder


class Backwards:
    """A cluster that finishes the last task first."""

    def run(self, function, tasks):
        for task in reversed(tasks):
            try:
                yield task, function(task)
            except GeneratorError as error:
                yield task, error


def test_chunks_have_all_hypergraphs_and_different_seeds():
    chunks = chunks_of("model", 11, 5, {"n": 3}, size=4)
    assert [(chunk.number, chunk.count) for chunk in chunks] == [(0, 4), (1, 4), (2, 3)]
    assert len({chunk.seed for chunk in chunks}) == 3
    assert chunks_of("model", 8, 5, {"n": 3}, size=4) == chunks[:2]  # a longer sample begins as a shorter one
    assert {chunk.seed for chunk in chunks_of("model", 11, 6, {}, size=4)}.isdisjoint(chunk.seed for chunk in chunks)
    assert chunks_of("model", 0, 5, {}) == []


@pytest.mark.parametrize(("name", "options"), [("erdos-renyi", {}), ("hedge", {"n": 9, "steps": 2, "device": "cpu"})])
def test_hypergraphs_come_in_order_with_the_options_of_the_model(saved, name, options):
    chunks = chunks_of(str(saved / name), 5, 1, options, size=2)
    model = hh.load_model(saved / name)
    expected = [H for chunk in chunks for H in model.sample(chunk.count, seed=chunk.seed, **options)]
    assert list(sample_in_chunks(Backwards(), chunks)) == expected
    assert len(expected) == 5


def test_an_error_of_a_worker_is_raised(saved):
    chunk = Chunk(0, 1, 0, str(saved / "erdos-renyi"), {"steps": 2})
    with pytest.raises(GeneratorError, match="sample of ErdosRenyi has no option 'steps'"):
        sample_chunk(chunk)
    with pytest.raises(GeneratorError, match="sample of ErdosRenyi has no option 'steps'"):
        list(sample_in_chunks(Backwards(), [chunk]))
