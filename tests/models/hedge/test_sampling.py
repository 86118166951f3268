"""Drawing: sizes and marginals of the training set, chunks that no thread changes, paths, and the projections."""

import itertools

import numpy as np
import pytest
import torch
from scipy import stats

import hyperhedge as hh
from hyperhedge.core.summary import summarise
from hyperhedge.diffusion.samplers import SAMPLERS, time_grid
from hyperhedge.errors import GeneratorError
from hyperhedge.models.hedge import sampling
from hyperhedge.models.hedge.memory import bytes_each
from small_hedge import MIXED, covered, quick


@pytest.fixture(scope="module")
def valid_model():
    """Return a model of hypergraphs without empty hyperedges and isolated nodes, which hardly learned anything."""
    return quick().fit(covered(6, 12, 7))


def known(H):
    return tuple(H.edge_sizes.tolist()), tuple(H.degrees.tolist())


def watched(monkeypatch, model, *arguments, **options):
    """Sample, and return also the chunks that were sampled."""
    chunks, sample_chunk = [], sampling._sample_chunk

    def watching(drift, chunk, settings):
        chunks.append(chunk)
        return sample_chunk(drift, chunk, settings)

    monkeypatch.setattr(sampling, "_sample_chunk", watching)
    return model.sample_paths(*arguments, **options), chunks


# -- shapes and margins ---------------------------------------------------------------------------


def test_where_hyperedges_are_disjoint_samples_are_no_copies():
    """A partition is its hyperedge sizes: with those of one training hypergraph every sample would be isomorphic to it."""
    rng = np.random.default_rng(0)
    cuts = [np.sort(rng.choice(np.arange(1, 60), 14, replace=False)) for _ in range(200)]
    train = [hh.Hypergraph(np.split(np.arange(60), cut), nodes=60) for cut in cuts]
    drawn = quick().fit(train).sample(60, seed=0)
    known_sizes = {tuple(sorted(H.edge_sizes.tolist())) for H in train}
    assert all(H.degrees.tolist() == [1] * 60 for H in drawn)
    assert np.mean([tuple(sorted(H.edge_sizes.tolist())) in known_sizes for H in drawn]) < 0.2


def test_samples_of_another_shape_have_the_sizes_and_degrees_drawn(pieces, monkeypatch):
    drawn, chunks = watched(monkeypatch, quick().fit(pieces), 4, seed=1, n=100, m=80)
    for chunk in chunks:
        for position, sizes, degrees in zip(chunk.positions, chunk.edge_sizes, chunk.degrees, strict=True):
            assert drawn.hypergraphs[position].edge_sizes.tolist() == sizes.tolist()
            assert drawn.hypergraphs[position].degrees.tolist() == degrees.tolist()
    assert max(H.edge_sizes.max() for H in drawn.hypergraphs) <= 5
    assert not any(summarise(H).repeated_hyperedges for H in drawn.hypergraphs)


SCHOOL = "HypergraphModularity/data/contact-high-school-classes/hyperedges-contact-high-school-classes.txt"


def test_pieces_of_a_real_school_at_the_size_of_the_school(mirror):
    """Once the mean size was 12.9 here, and 195 nodes were isolated."""
    file = mirror / SCHOOL
    if not file.is_file():
        pytest.skip("the contacts of the school are not here")
    whole = hh.Hypergraph([sorted(set(map(int, line.split(",")))) for line in file.read_text().split()])
    sampler = hh.data.SubhypergraphSampler(whole)
    model = quick().fit([sampler.sample(64, 25, seed=seed) for seed in range(40)])
    for H in model.sample(2, seed=1, n=327, m=400):
        assert H.edge_sizes.max() <= 5
        assert H.edge_sizes.mean() == pytest.approx(whole.edge_sizes.mean(), abs=0.12)
        assert (H.degrees == 0).sum() < 0.25 * 327
        assert summarise(H).repeated_hyperedges == 0


@pytest.mark.parametrize("given", ["nothing", "sizes", "both"])
def test_shapes_far_from_the_training_set_s_where_the_network_decides_on_sizes(pieces, given):
    model = quick(given=given).fit(pieces[:6])
    for shape, message in (
        ({"n": 327, "m": 400}, "n must be from 52 to 80 .*, not 327; fit it to hypergraphs of about that shape"),
        ({"m": 19}, "m must be from 20 to 31 .*, not 19"),
    ):
        if given == "nothing":
            with pytest.raises(GeneratorError, match=message):
                model.sample(1, **shape)
    assert {H.shape for H in model.sample(2, n=70, m=28)} == {(70, 28)}
    if given != "nothing":
        (H,) = model.sample(1, seed=1, n=150, m=40)
        assert H.edge_sizes.max() <= 5


def test_a_sample_is_drawn_with_marginals_of_its_size(fitted, monkeypatch):
    _, chunks = watched(monkeypatch, fitted, 40, seed=2)
    degrees = {(H.n, H.m, known(H)[1]) for H in MIXED}
    for chunk in chunks:
        assert {(chunk.n, chunk.m, tuple(row)) for row in chunk.degrees.tolist()} <= degrees
        assert (chunk.edge_sizes.sum(1) == chunk.degrees.sum(1)).all()


def test_samples_have_the_sizes_and_degrees_that_were_drawn(fitted, monkeypatch):
    drawn, chunks = watched(monkeypatch, fitted, 40, seed=2)
    assert drawn.changed > 0  # otherwise this would show nothing
    for chunk in chunks:
        for place, sizes, degrees in zip(chunk.positions, chunk.edge_sizes, chunk.degrees, strict=True):
            H = drawn.hypergraphs[place]
            assert H.edge_sizes.tolist() == sizes.tolist()
            assert H.degrees.tolist() == degrees.tolist()


@pytest.mark.parametrize("known_before", ["sizes", "nothing"])
def test_what_the_drift_did_not_know_is_not_asked_for(monkeypatch, known_before):
    drawn, chunks = watched(monkeypatch, quick(given=known_before).fit(covered(6, 12, 7)), 20, seed=2)
    same = {
        side: all(
            getattr(drawn.hypergraphs[place], side).tolist() == wanted.tolist()
            for chunk in chunks
            for place, wanted in zip(chunk.positions, getattr(chunk, side), strict=True)
        )
        for side in ("edge_sizes", "degrees")
    }
    assert same == {"edge_sizes": known_before == "sizes", "degrees": False}
    assert all(H.edge_sizes.all() and H.degrees.all() for H in drawn.hypergraphs)


# -- sizes ----------------------------------------------------------------------------------------


def test_sizes_are_drawn_or_given(fitted):
    sizes = {(H.n, H.m) for H in MIXED}
    assert {(H.n, H.m) for H in fitted.sample(80, seed=1)} == sizes
    assert {(H.n, H.m) for H in fitted.sample(80, seed=1, n=5)} == {(5, m) for _, m in sizes}
    assert {(H.n, H.m) for H in fitted.sample(80, seed=1, m=9)} == {(n, 9) for n, _ in sizes}
    assert {(H.n, H.m) for H in fitted.sample(5, seed=1, n=np.int64(20), m=3)} == {(20, 3)}
    assert [(H.n, H.m) for H in fitted.sample(2, seed=1, n=1, m=1)] == [(1, 1)] * 2


@pytest.mark.parametrize(("n", "m"), [(0, 4), (4, 0), (0, 0), (0, None), (None, 0)])
def test_no_nodes_or_no_hyperedges(fitted, n, m):
    drawn = fitted.sample_paths(6, seed=1, n=n, m=m)
    for H, X, path in zip(drawn.hypergraphs, drawn.states, drawn.paths, strict=True):
        assert H.num_incidences == 0
        assert (n in (None, H.n), m in (None, H.m)) == (True, True)
        assert X.shape == (H.n, H.m)
        assert path.shape == (4, H.n, H.m)
    assert drawn.decided is drawn.changed is None


@pytest.mark.parametrize("bad", [-1, 2.0, "3", True])
def test_sizes_that_are_none(fitted, bad):
    for name in ("n", "m"):
        with pytest.raises(GeneratorError, match=f"{name} must be a whole number from 0 on, not"):
            fitted.sample(1, **{name: bad})


# -- chunks ----------------------------------------------------------------------------------------


def test_threads_change_nothing(fitted, monkeypatch):
    """Not a bit of the relaxed states, with as many chunks as samples."""
    found = []
    for workers in (1, 2, 5):
        monkeypatch.setattr("hyperhedge.models.hedge.model.default_workers", lambda workers=workers: workers)
        found.append(fitted.sample_paths(12, seed=4, memory=1))
    for other in found[1:]:
        assert other.hypergraphs == found[0].hypergraphs
        assert all((a == b).all() for a, b in zip(found[0].states, other.states, strict=True))


def test_the_memory_budget_makes_chunks(fitted, monkeypatch):
    for memory, largest in ((1, 1), (2**30, 64), (bytes_each(fitted._network_config, 9, 6) * 3, 3)):
        drawn, chunks = watched(monkeypatch, fitted, 70, seed=1, n=9, m=6, memory=memory)
        assert len(drawn.hypergraphs) == 70
        assert max(len(chunk.positions) for chunk in chunks) == largest
        assert sorted(k for chunk in chunks for k in chunk.positions) == list(range(70))


def test_samples_of_a_chunk_are_not_alike(fitted):
    states = fitted.sample_paths(6, seed=1, n=9, m=6).states
    assert len({X.tobytes() for X in states}) == 6


def test_samples_stand_in_the_order_in_which_their_sizes_were_drawn(fitted):
    """The order tells nothing of the size: it is not sorted by chunks."""
    sizes = [(H.n, H.m) for H in fitted.sample(40, seed=3)]
    assert sizes != sorted(sizes)
    assert sizes != sorted(sizes, reverse=True)


# -- paths and what is known ------------------------------------------------------------------------


def test_a_path_goes_from_noise_to_the_state(fitted):
    drawn = fitted.sample_paths(50, seed=6, steps=5, n=9, m=6)
    assert drawn.times == time_grid(fitted.heat_ * fitted.horizon, 5, power=fitted.grid_power)
    assert len(drawn.paths) == len(drawn.states) == 50
    for path, X in zip(drawn.paths, drawn.states, strict=True):
        assert path.shape == (6, 9, 6)
        assert (path[-1] == X).all()
    noise = (np.stack([path[0] for path in drawn.paths]).ravel() - fitted.density_) * np.sqrt(fitted.gamma / fitted.tau)
    assert stats.kstest(noise, "norm").pvalue > 0.01


def test_the_path_does_not_change_the_samples(fitted):
    drawn = fitted.sample_paths(8, seed=6)
    assert drawn.hypergraphs == fitted.sample(8, seed=6)
    assert fitted.sample_paths(8, seed=6, keep_paths=False).paths is None


def test_the_projected_hypergraph_is_that_of_the_state(fitted):
    drawn = fitted.sample_paths(20, seed=6, projection="threshold")
    for H, X in zip(drawn.hypergraphs, drawn.states, strict=True):
        assert (H.incidence.toarray() == (X >= 0.5)).all()
    entries = np.concatenate([X.ravel() for X in drawn.states])
    assert drawn.decided == pytest.approx(np.mean(np.minimum(abs(entries), abs(entries - 1)) <= 0.1))
    assert drawn.changed == 0


def test_no_samples_at_all(fitted):
    drawn = fitted.sample_paths(0)
    assert (drawn.hypergraphs, drawn.states, drawn.decided, drawn.changed) == ([], [], None, None)


# -- options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_every_sampler_draws(fitted, sampler):
    drawn = fitted.sample_paths(6, seed=2, sampler=sampler, steps=4)
    assert len(drawn.hypergraphs) == 6
    assert all(np.isfinite(X).all() for X in drawn.states)
    assert drawn.hypergraphs == fitted.sample(6, seed=2, sampler=sampler, steps=4)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("factor", [30.0, 1e8])  # the second makes the network overflow
def test_a_field_that_is_wild_draws_finite_states(sampler, factor):
    """A network that is far off away from what it was trained on drives states away, and is then even farther off."""
    model = quick(steps=20).fit(covered(6, 12, 7))
    with torch.no_grad():
        for parameter in model._denoiser.network.parameters():
            parameter.mul_(factor)
    drawn = model.sample_paths(4, seed=1, sampler=sampler)
    assert all(np.isfinite(state).all() and np.abs(state).max() < 100 for state in drawn.states)


def test_options_are_the_model_s_own_unless_given(fitted):
    own = {"sampler": fitted.sampler, "steps": fitted.steps, "grid_power": fitted.grid_power, "projection": "given"}
    first = fitted.sample_paths(6, seed=2).states
    assert all((a == b).all() for a, b in zip(first, fitted.sample_paths(6, seed=2, **own).states, strict=True))
    for change in ({"sampler": "flow"}, {"steps": 4}, {"grid_power": 2.0}):
        other = fitted.sample_paths(6, seed=2, **change).states
        assert not all((a == b).all() for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"wings": 2},
            "sample of Hedge has no option 'wings'; it has: n, m, steps, device, progress, repeats, sampler",
        ),
        ({"keep_paths": True}, "sample of Hedge has no option 'keep_paths'"),
        ({"steps": 0}, "steps must be a whole number from 1 on, not 0"),
        ({"sampler": "ddim"}, "sampler must be 'euler-maruyama' or 'exponential' or 'flow', not 'ddim'"),
        ({"projection": "round"}, "projection must be 'threshold' or 'valid' or 'given', not 'round'"),
        ({"grid_power": -1}, "grid_power must be a positive number, not -1"),
        ({"grid_power": float("nan")}, "grid_power must be a positive number, not nan"),
        ({"memory": "1 GB"}, "memory must be a whole number from 1 on, not '1 GB'"),
        ({"device": "cuda:77"}, "there is no device 'cuda:77' here; give 'auto', 'cpu'"),
        ({"device": "meta"}, "there is no device 'meta' here"),
        ({"device": "abacus"}, "there is no device 'abacus' here"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_bad_options_are_refused_in_a_sentence(fitted, options, message):
    with pytest.raises(GeneratorError, match=message) as caught:
        fitted.sample(1, **options)
    assert "\n" not in str(caught.value)


def test_progress_is_shown_where_it_is_asked_for(fitted, capsys):
    from rich.console import Console

    console = Console(force_terminal=True, width=80)
    assert fitted.sample(4, seed=1, progress=console) == fitted.sample(4, seed=1)
    assert "sampling" in capsys.readouterr().out


# -- projections -----------------------------------------------------------------------------------


def test_samples_are_valid_where_the_training_set_is(valid_model):
    drawn = valid_model.sample_paths(40, seed=1, projection="valid")
    assert drawn.changed > 0  # otherwise this would show nothing
    for H in drawn.hypergraphs:
        assert H.edge_sizes.all()
        assert H.degrees.all()
    bare = valid_model.sample(40, seed=1, projection="threshold")
    assert not all(H.edge_sizes.all() and H.degrees.all() for H in bare)


@pytest.mark.parametrize(
    ("extra", "sizes", "degrees"),
    [
        (hh.Hypergraph([range(12)] * 6 + [[]]), False, True),
        (hh.Hypergraph([range(11)] * 7, nodes=12), True, False),
    ],
    ids=["empty hyperedges", "isolated nodes"],
)
def test_what_the_training_set_has_is_allowed(extra, sizes, degrees):
    """One training hypergraph is enough; the other kind of bareness stays out."""
    samples = quick().fit([*covered(5, 12, 7), extra]).sample(40, seed=1)
    assert all(H.edge_sizes.all() for H in samples) == sizes
    assert all(H.degrees.all() for H in samples) == degrees


# -- repeated hyperedges -----------------------------------------------------------------------------


def settings_of(model, **options):
    return model._sampling_settings(False, {"repeats": "forbid", **options})


def chunk_of(H):
    return sampling._Chunk(H.n, H.m, np.arange(1), 5, H.edge_sizes[None], H.degrees[None])


def distinct(model, H, given="both", **options):
    X = torch.from_numpy(H.incidence.toarray().astype(float))
    return sampling._distinct(H, X, chunk_of(H), settings_of(model, **options), given)


@pytest.mark.parametrize(
    ("edges", "kept"),
    [
        ([[0, 1], [0, 1], [2, 3]], {"edge_sizes", "degrees"}),  # by an exchange
        (
            [[0, 1, 3], [1, 2, 3, 4], [1, 3, 4], [0, 2], [0, 1, 2, 3], [0, 1, 3, 4], [0, 1, 2, 3]],
            {"edge_sizes", "degrees"},
        ),
        ([[0, 1], [0, 1], [1, 2]], {"edge_sizes"}),  # degrees 2, 3, 1: only this way
        ([[0, 1], [0, 2], [1, 2], [0, 1]], set()),  # there are three pairs of three nodes
    ],
    ids=["exchange", "trades", "sizes", "neither"],
)
def test_what_is_kept_where_repeats_go(valid_model, edges, kept):
    H = hh.Hypergraph(edges)
    S = distinct(valid_model, H)
    assert summarise(S).repeated_hyperedges == 0
    assert {side for side in ("edge_sizes", "degrees") if (getattr(S, side) == getattr(H, side)).all()} >= kept
    assert has_distinct(H) == ("degrees" in kept)


def has_distinct(H):
    """Tell from a list of all hypergraphs with the degrees and sizes of one whether some have no repeats."""
    choices = [list(itertools.combinations(range(H.n), int(size))) for size in H.edge_sizes]
    return any(
        len(set(state)) == H.m
        and np.bincount([v for edge in state for v in edge], minlength=H.n).tolist() == H.degrees.tolist()
        for state in itertools.product(*choices)
    )


def test_where_degrees_are_not_given_they_are_not_kept(valid_model):
    """The nearest change of a pair without one more or less node elsewhere: one replacement, or one entry."""
    H = hh.Hypergraph([[0, 1], [0, 1], [2, 3], [0, 2]])
    for known, projection, entries in (("sizes", "given", 2), ("nothing", "given", 1), ("both", "valid", 1)):
        S = distinct(valid_model, H, known, projection=projection)
        assert (S.incidence != H.incidence).sum() == entries


def test_thresholding_takes_no_guide_from_data(valid_model):
    """As it leaves hyperedges empty where data have none; only what is forbidden by name goes."""
    bare = valid_model.sample_paths(60, seed=1, projection="threshold")
    assert bare.changed == 0
    assert any(summarise(H).repeated_hyperedges for H in bare.hypergraphs)
    changed = valid_model.sample(60, seed=1, projection="threshold", repeats="forbid")
    assert not any(summarise(H).repeated_hyperedges for H in changed)
    for H, S in zip(bare.hypergraphs, changed, strict=True):
        assert summarise(H).repeated_hyperedges or S == H


@pytest.mark.parametrize("shape", [{"n": 0, "m": 2}, {"n": 1, "m": 3}, {"n": 2, "m": 6}])
def test_shapes_without_so_many_different_hyperedges_are_refused(valid_model, shape):
    message = (
        f"no hypergraph with {shape['n']} nodes and {shape['m']} hyperedges was found in which all of these are diff"
    )
    with pytest.raises(GeneratorError, match=message):
        valid_model.sample(1, seed=1, **shape)
    assert valid_model.sample(1, seed=1, **shape, repeats="allow")[0].m == shape["m"]
