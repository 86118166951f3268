"""The configuration model: stationary laws against full enumeration, what a trade keeps, and the published routine's bias."""

import itertools
import math
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.core.summary import summarise
from hyperhedge.errors import GeneratorError, HypergraphError
from hyperhedge.models.base import load_model
from hyperhedge.models.configuration import _mcmc
from hyperhedge.models.configuration import model as configuration
from hyperhedge.models.configuration.model import Chain, ConfigurationModel, shuffle
from hyperhedge.models.multiplicities import buckets_for
from strategies import hypergraphs, random_hypergraphs

FORMS = ("words", "lists")
LAWS = ("stub", "vertex")

# Beginnings of chains; the space is all that has the same degrees and sizes.
STARTS = {
    "sizes 1 and 3 on 4 nodes": hh.Hypergraph([[0], [1, 2, 3]]),
    "sizes 1, 3 and 2 on 4 nodes": hh.Hypergraph([[0], [1, 2, 3], [0, 1]]),
    "sizes 1, 4 and 2 on 5 nodes": hh.Hypergraph([[0], [1, 2, 3, 4], [0, 1]]),
    "four pairs on 4 nodes": hh.Hypergraph([[0, 1], [0, 1], [2, 3], [2, 3]]),
    "mixed sizes": hh.Hypergraph([[0, 1], [0, 2], [0, 1, 3]]),
    "repeated singletons": hh.Hypergraph([[0], [0], [1], [1, 2]]),
    "five hyperedges on 4 nodes": hh.Hypergraph([[0], [0, 1, 2], [1, 2], [0, 1], [0]], nodes=4),
    "empty hyperedges, isolated node": hh.Hypergraph([[0, 1], [], [0, 2], [1], []], nodes=4),
    "two triples on 6 nodes, and a pair": hh.Hypergraph([[0, 1, 2], [3, 4, 5], [0, 3]]),
    "three equal pairs": hh.Hypergraph([[0, 1], [0, 1], [0, 1], [2, 3]]),
}


def space(H):
    """List all hypergraphs with the degrees and sizes of one, as tuples of members."""
    choices = [itertools.combinations(range(H.n), int(size)) for size in H.edge_sizes]
    degrees = H.degrees.tolist()
    return [
        state
        for state in itertools.product(*map(list, choices))
        if np.bincount([v for edge in state for v in edge], minlength=H.n).tolist() == degrees
    ]


def weight(state, labelled):
    """Return the law's weight of a matrix: 1, or the product of the multiplicities' factorials."""
    nonempty = Counter(edge for edge in state if edge)
    return math.prod(map(math.factorial, nonempty.values())) if labelled == "vertex" else 1


def visits(chain, count, *, sweeps=15):
    return Counter(H.hyperedges for H in chain.run(count, every=sweeps * chain.sweep))


def fit_of(seen, states, labelled):
    """Return the p-value of counts under the law."""
    assert set(seen) <= set(states)
    law = np.array([weight(state, labelled) for state in states], dtype=float)
    expected = sum(seen.values()) * law / law.sum()
    assert expected.min() > 5
    return stats.chisquare([seen[state] for state in states], expected).pvalue


# -- stationary laws ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("labelled", LAWS)
@pytest.mark.parametrize("start", STARTS)
def test_the_chain_has_the_law(start, labelled, form):
    H = STARTS[start]
    states = space(H)
    count = max(2000, 40 * len(states))
    seen = visits(Chain(H, labelled=labelled, seed=1, form=form), count)
    assert fit_of(seen, states, labelled) > 1e-3


@pytest.mark.parametrize("form", FORMS)
def test_the_vertex_law_is_uniform_over_multisets(form):
    H = STARTS["five hyperedges on 4 nodes"]
    multisets = {tuple(sorted(state)) for state in space(H)}
    seen = Counter()
    for state, count in visits(Chain(H, labelled="vertex", seed=2, form=form), 6000).items():
        seen[tuple(sorted(state))] += count
    assert set(seen) == multisets
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


@pytest.mark.parametrize(("ran", "asked"), [("stub", "vertex"), ("vertex", "stub")])
def test_the_two_laws_can_be_told_apart(ran, asked):
    H = STARTS["three equal pairs"]
    assert fit_of(visits(Chain(H, labelled=ran, seed=3), 3000), space(H), asked) < 1e-6


@pytest.mark.parametrize("start", ["repeated singletons", "mixed sizes", "four pairs on 4 nodes"])
def test_the_stub_law_is_that_of_all_matchings_of_stubs(start):
    """Deal the stubs out in all orders, leave out degenerate results: every matrix comes up equally often."""
    H = STARTS[start]
    stubs = np.repeat(np.arange(H.n), H.degrees).tolist()
    cuts = np.cumsum(H.edge_sizes)[:-1]
    found = Counter()
    for order in itertools.permutations(stubs):
        edges = [tuple(sorted(edge.tolist())) for edge in np.split(np.array(order), cuts)]
        if all(len(set(edge)) == len(edge) for edge in edges):
            found[tuple(edges)] += 1
    assert set(found) == set(space(H))
    assert len(set(found.values())) == 1


def transitions(H, accept):
    """Return the space and the chain's transition matrix, from the definition, with an acceptance of one's own."""
    states = space(H)
    place = {state: k for k, state in enumerate(states)}
    P = np.zeros((len(states), len(states)))
    pairs = list(itertools.combinations([j for j in range(H.m) if H.edge_sizes[j]], 2))
    for k, state in enumerate(states):
        for i, j in pairs:
            e, f = set(state[i]), set(state[j])
            splits = list(itertools.combinations(sorted(e ^ f), len(e - f)))
            for split in splits:
                new = list(state)
                new[i] = tuple(sorted((e & f) | set(split)))
                new[j] = tuple(sorted((e & f) | ((e ^ f) - set(split))))
                chance = (
                    1.0 if set(new[i : i + 1] + new[j : j + 1]) == {state[i], state[j]} else accept(state, new, i, j)
                )
                P[k, place[tuple(new)]] += chance / len(pairs) / len(splits)
        P[k, k] += 1 - P[k].sum()
    return states, P


def metropolis(state, new, i, j):
    m = Counter(state)
    return min(1, (m[new[i]] + 1) * (m[new[j]] + 1) / (m[state[i]] * m[state[j]]))


def chodrow(state, _new, i, j):
    m = Counter(state)
    return 2.0 ** -len(set(state[i]) & set(state[j])) / (m[state[i]] * m[state[j]])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("labelled", LAWS)
@pytest.mark.parametrize("start", STARTS)
def test_one_proposal_has_the_kernel_s_probabilities(start, labelled, form):
    H = STARTS[start]
    states, P = transitions(H, metropolis if labelled == "vertex" else lambda *_: 1.0)
    count = 1500
    rng = np.random.default_rng(9)
    seen = Counter(
        Chain(H, labelled=labelled, seed=rng, form=form).advance(1).hypergraph.hyperedges for _ in range(count)
    )
    row = P[states.index(H.hyperedges)]
    kept = row > 0
    assert sum(seen[state] for state, there in zip(states, kept, strict=True) if there) == count
    expected = count * row[kept]
    assert expected.min() > 5
    assert stats.chisquare([seen[states[k]] for k in np.flatnonzero(kept)], expected).pvalue > 1e-3


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("accept", [metropolis, chodrow])
def test_both_acceptances_are_reversible_and_ours_moves_more(start, accept):
    H = STARTS[start]
    states, P = transitions(H, accept)
    law = np.array([weight(state, "vertex") for state in states], dtype=float)
    flow = law[:, None] * P
    np.testing.assert_allclose(flow, flow.T, atol=1e-12)
    _, ours = transitions(H, metropolis)
    off = ~np.eye(len(P), dtype=bool)
    assert (ours[off] >= P[off] - 1e-12).all()
    assert (np.linalg.matrix_power(ours, 200) > 0).all()


# -- the published routine ---------------------------------------------------------------------------


def coin_flips(e, f, flip):
    """Split the pool as published: through the list, a fair coin for each node until one hyperedge is full."""
    common = [v for v in e if v in f]
    new_e, new_f = list(common), list(common)
    for v in [*e, *f]:
        if v in common:
            continue
        if len(new_e) < len(e) and len(new_f) < len(f):
            (new_e if flip() else new_f).append(v)
        else:
            (new_e if len(new_e) < len(e) else new_f).append(v)
    return tuple(sorted(new_e)), tuple(sorted(new_f))


@pytest.mark.parametrize(
    "start", ["sizes 1 and 3 on 4 nodes", "sizes 1, 3 and 2 on 4 nodes", "sizes 1, 4 and 2 on 5 nodes"]
)
def test_the_published_routine_fails_the_same_test(start):
    H = STARTS[start]
    states = space(H)
    rng = np.random.default_rng(0)
    edges, seen = list(H.hyperedges), Counter()
    for _ in range(max(2000, 40 * len(states))):
        for _ in range(5 * H.m):
            i, j = rng.integers(0, H.m, 2)
            edges[i], edges[j] = coin_flips(edges[i], edges[j], lambda: rng.random() < 0.5)
        seen[tuple(edges)] += 1
    assert fit_of(seen, states, "stub") < 1e-6


def published_law(H):
    """Return the space, and the published routine's stationary law on it, exactly: all coins enumerated."""
    states = space(H)
    P = np.zeros((len(states), len(states)))
    for k, state in enumerate(states):
        for i, j in itertools.product(range(H.m), repeat=2):
            flips = len(set(state[i]) ^ set(state[j]))
            for coins in itertools.product((True, False), repeat=flips):
                new = list(state)
                new[i], new[j] = coin_flips(state[i], state[j], iter(coins).__next__)
                P[k, states.index(tuple(new))] += 0.5**flips / H.m**2
    return states, np.linalg.matrix_power(P, 500)[0]


def test_the_published_routine_s_law_of_the_singleton():
    """Sizes 1 and 3 on 4 nodes: the figures of docs/baselines.md."""
    states, law = published_law(STARTS["sizes 1 and 3 on 4 nodes"])
    assert [state[0] for state in states] == [(0,), (1,), (2,), (3,)]
    np.testing.assert_allclose(law, [0.353, 0.290, 0.203, 0.154], atol=5e-4)


@pytest.mark.parametrize(
    ("edges", "least", "most"),
    [
        ([[0, 1], [2, 3], [0, 2]], 1, 1),  # pairs: a graph
        ([[0, 1, 2], [3, 4, 5]], 0.960, 1.111),
        ([[0, 1, 2], [0, 3, 4], [1, 3]], 0.858, 1.179),
    ],
)
def test_where_the_published_routine_is_right(edges, least, most):
    """In graphs only; probabilities over the uniform one."""
    _, law = published_law(hh.Hypergraph(edges))
    np.testing.assert_allclose([len(law) * law.min(), len(law) * law.max()], [least, most], atol=5e-4)


# -- without repeats ---------------------------------------------------------------------------------


def distinct_space(H):
    return [state for state in space(H) if len(set(state)) == H.m]


DISTINCT = [start for start in STARTS if len(distinct_space(STARTS[start])) > 1]


def test_some_spaces_have_repeats_to_leave_out():
    assert len(DISTINCT) >= 6
    assert sum(len(distinct_space(STARTS[start])) < len(space(STARTS[start])) for start in DISTINCT) >= 4


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("labelled", LAWS)
@pytest.mark.parametrize("start", DISTINCT)
def test_the_chain_without_repeats_is_uniform_over_all_without(start, labelled, form):
    states = distinct_space(STARTS[start])
    chain = Chain(STARTS[start], labelled=labelled, repeats="forbid", seed=1, form=form)
    seen = visits(chain, max(1500, 40 * len(states)))
    assert set(seen) <= set(states)
    assert stats.chisquare([seen[state] for state in states]).pvalue > 1e-3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("start", DISTINCT)
def test_one_proposal_without_repeats_is_a_trade_or_none(start, form):
    """From a hypergraph without repeats, trades that would create one stay where they are: the kernel, enumerated."""
    H = hh.Hypergraph(distinct_space(STARTS[start])[0], nodes=STARTS[start].n)
    states, P = transitions(H, lambda _state, new, _i, _j: float(len(set(new)) == len(new)))
    np.testing.assert_allclose(P[states.index(H.hyperedges)].sum(), 1)
    rng, count = np.random.default_rng(9), 1000
    seen = Counter(
        Chain(H, repeats="forbid", seed=rng, form=form).advance(1).hypergraph.hyperedges for _ in range(count)
    )
    row = P[states.index(H.hyperedges)]
    kept = np.flatnonzero(row > 0)
    assert set(seen) <= {states[k] for k in kept}
    assert stats.chisquare([seen[states[k]] for k in kept], count * row[kept]).pvalue > 1e-3


@pytest.mark.parametrize("size", [2, 3])
def test_trades_connect_all_hypergraphs_without_repeats_on_five_nodes(size):
    """Where all hyperedges have one size: graphs, where this is a theorem, and triples, where it is what one finds."""
    hyperedges = [frozenset(edge) for edge in itertools.combinations(range(5), size)]
    for m in (3, 4, 5):
        groups = {}
        for state in itertools.combinations(hyperedges, m):
            degrees = tuple(sum(v in edge for edge in state) for v in range(5))
            groups.setdefault(degrees, set()).add(frozenset(state))
        for states in groups.values():
            reached, waiting = set(), [next(iter(states))]
            while waiting:
                state = waiting.pop()
                if state not in reached:
                    reached.add(state)
                    waiting += trades_of(state)
            assert reached == states


def trades_of(state):
    """List what one trade makes of a set of different hyperedges."""
    made = []
    for e, f in itertools.combinations(state, 2):
        for chosen in itertools.combinations(sorted(e ^ f), len(e - f)):
            new = (e & f) | set(chosen), (e & f) | ((e ^ f) - set(chosen))
            if not (state - {e, f}) & set(new):
                made.append((state - {e, f}) | set(new))
    return made


@given(hypergraphs(max_nodes=7, max_edges=7), st.sampled_from(FORMS), st.integers(0, 1000))
def test_no_repeats_in_a_shuffle_that_forbids_them(H, form, seed):
    """Degrees, sizes and labels stay; where it is refused, there is no hypergraph without repeats (small ones are listed)."""
    try:
        S = Chain(H, repeats="forbid", seed=seed, form=form).advance(29).hypergraph
    except GeneratorError:
        S = None
    if S is None:
        assert H.num_incidences > 9 or not distinct_space(H)
        return
    assert summarise(S).repeated_hyperedges == 0
    assert (S.nodes, S.edges) == (H.nodes, H.edges)
    assert S.degrees.tolist() == H.degrees.tolist()
    assert S.edge_sizes.tolist() == H.edge_sizes.tolist()


def test_what_cannot_be_without_repeats_is_refused_in_a_sentence():
    with pytest.raises(
        GeneratorError, match="no hypergraph with the degrees and sizes of H and without repeated hyper"
    ):
        shuffle(hh.Hypergraph([[0, 1], [0, 1]]), repeats="forbid")
    with pytest.raises(GeneratorError, match="H has 2 empty hyperedges, which repeat each other"):
        shuffle(hh.Hypergraph([[0, 1], [], []]), repeats="forbid")
    assert shuffle(hh.Hypergraph([[0, 1], []]), repeats="forbid").edge_sizes.tolist() == [2, 0]


def test_as_data_is_by_the_hypergraph_or_by_the_training_set():
    simple, repeated = hh.Hypergraph([[0, 1], [1, 2], [0, 2], [3, 4]]), hh.Hypergraph([[0, 1], [0, 1], [2, 3]])
    for H, forbidden in ((simple, True), (repeated, False)):
        drawn = [shuffle(H, repeats="as-data", seed=seed) for seed in range(60)]
        assert drawn == [shuffle(H, repeats="forbid" if forbidden else "allow", seed=seed) for seed in range(60)]
        assert any(summarise(S).repeated_hyperedges for S in drawn) != forbidden
    # one training hypergraph with repeats allows them in all samples
    for training, allowed in (([simple], False), ([simple, repeated], True)):
        model = ConfigurationModel(repeats="as-data").fit(training)
        of_simple = [S for S in model.sample(120, seed=1) if S.m == 4]
        assert any(summarise(S).repeated_hyperedges for S in of_simple) == allowed


def test_the_default_keeps_the_law_of_all_matrices():
    assert ConfigurationModel().repeats == "allow"
    assert shuffle(STARTS["three equal pairs"], seed=3) == shuffle(STARTS["three equal pairs"], repeats="allow", seed=3)


# -- what is kept, and the two forms ----------------------------------------------------------------


@given(hypergraphs(max_nodes=8, max_edges=8), st.sampled_from(LAWS), st.sampled_from(FORMS), st.integers(0, 1000))
def test_degrees_sizes_and_labels_are_kept(H, labelled, form, seed):
    chain = Chain(H, labelled=labelled, seed=seed, form=form)
    assert chain.hypergraph == H
    S = chain.advance(37).hypergraph
    assert (S.nodes, S.edges) == (H.nodes, H.edges)
    assert S.degrees.tolist() == H.degrees.tolist()
    assert S.edge_sizes.tolist() == H.edge_sizes.tolist()
    assert chain.proposed == 37
    assert 0 <= chain.rejected <= (37 if labelled == "vertex" else 0)


@pytest.mark.parametrize("labelled", LAWS)
def test_the_two_forms_agree_at_64_by_25(labelled):
    H = random_hypergraphs(1, 64, 25, density=0.06, seed=5)[0]
    squares = {}
    for form in FORMS:
        chain = Chain(H, labelled=labelled, seed=6, form=form)
        states = chain.run(600, every=5 * chain.sweep)
        squares[form] = [float((S.overlaps.data.astype(float) ** 2).sum()) for S in states]
    assert stats.ks_2samp(*squares.values()).pvalue > 1e-3
    assert np.std(squares["words"]) > 0


@pytest.mark.parametrize("labelled", LAWS)
def test_the_last_bits_of_a_word(labelled):
    """The small space again, on nodes 60 to 63 of 64."""
    small = STARTS["four pairs on 4 nodes"]
    H = hh.Hypergraph([[60 + v for v in edge] for edge in small.hyperedges], nodes=64)
    chain = Chain(H, labelled=labelled, seed=7)
    assert isinstance(chain._state, _mcmc.WordState)
    seen = Counter()
    for state, count in visits(chain, 4000).items():
        seen[tuple(tuple(v - 60 for v in edge) for edge in state)] += count
    assert fit_of(seen, space(small), labelled) > 1e-3


def test_65_nodes_need_lists():
    H = hh.Hypergraph([list(range(65)), [0, 64], [1, 63], [64]])
    assert isinstance(Chain(H)._state, _mcmc.ListState)
    S = shuffle(H, seed=1)
    assert S != H
    assert S.degrees.tolist() == H.degrees.tolist()
    with pytest.raises(GeneratorError, match="words hold at most 64 nodes, and H has 65"):
        Chain(H, form="words")


def test_full_words():
    H = hh.Hypergraph([list(range(64)), list(range(0, 64, 2)), list(range(1, 64, 2)), list(range(64))])
    S = shuffle(H, seed=1)
    assert S.edge_sizes.tolist() == [64, 32, 32, 64]
    assert S.degrees.tolist() == [3] * 64
    assert S.hyperedges[1] != H.hyperedges[1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("edges", [[], [[]], [[], [0, 1], []], [[0, 1, 2]], [[0, 1], [0, 1]], [[0], [0, 1]]])
def test_spaces_of_one_hypergraph(edges, form):
    H = hh.Hypergraph(edges, nodes=3)
    for labelled in LAWS:
        assert Chain(H, labelled=labelled, seed=1, form=form).advance(1000).hypergraph == H


@pytest.mark.parametrize("form", FORMS)
def test_many_proposals_are_run_in_parts(monkeypatch, form):
    H = random_hypergraphs(1, 20, 30, density=0.1, seed=3)[0]
    whole = Chain(H, labelled="vertex", seed=4, form=form).advance(1000)
    monkeypatch.setattr(configuration, "_AT_ONCE", 7)
    parts = Chain(H, labelled="vertex", seed=4, form=form).advance(1000)
    assert parts.hypergraph == whole.hypergraph
    assert parts.rejected == whole.rejected


def test_multiplicities_of_many_hyperedges():
    """Buckets and keys hold what recounting gives, after many trades among hyperedges that often repeat."""
    H = hh.Hypergraph([[k % 12, (k * 5 + 1) % 12] for k in range(400)], nodes=12)
    for form, name in (("words", "words"), ("lists", "keys")):
        chain = Chain(H, labelled="vertex", seed=5, form=form).advance(20_000)
        assert chain.rejected > 100
        state = chain._state
        keys = getattr(state, name)
        assert (buckets_for(keys) == state.buckets).all()
        assert len(set(keys.tolist())) == len(set(chain.hypergraph.hyperedges))


def test_words_and_lists_are_seeded():
    H = random_hypergraphs(1, 30, 20, density=0.2, seed=3)[0]
    for form in FORMS:
        draws = [Chain(H, seed=seed, form=form).advance(500).hypergraph for seed in (1, 1, 2)]
        assert draws[0] == draws[1] != draws[2]


# -- the generator -----------------------------------------------------------------------------------


def test_samples_keep_the_degrees_and_sizes_of_a_training_hypergraph():
    training = random_hypergraphs(4, 10, 6, density=0.3, seed=8)
    kept = {(tuple(H.degrees.tolist()), tuple(H.edge_sizes.tolist())) for H in training}
    samples = ConfigurationModel().fit(training).sample(40, seed=1)
    assert {(tuple(H.degrees.tolist()), tuple(H.edge_sizes.tolist())) for H in samples} == kept
    assert len(set(samples)) > 30


def test_no_sweeps_replay_the_training_set():
    training = random_hypergraphs(3, 10, 6, density=0.3, seed=8)
    assert set(ConfigurationModel(sweeps=0).fit(training).sample(40, seed=1)) == set(training)


@pytest.mark.parametrize("labelled", LAWS)
def test_shuffle_is_the_generator_with_labels(labelled):
    H = hh.Hypergraph([["a", "b"]] * 3 + [["c", "d"]] * 3, edges=["u", "v", "w", "x", "y", "z"])
    (S,) = ConfigurationModel(sweeps=9, labelled=labelled).fit([H]).sample(seed=4)
    drawn = {}
    for law in LAWS:
        rng = np.random.default_rng(4)
        rng.integers(0, 1, size=1)
        drawn[law] = shuffle(H, labelled=law, sweeps=9, seed=rng)
        assert drawn[law].edges == H.edges
    assert drawn["stub"] != drawn["vertex"]
    assert drawn[labelled] == S


CLUBS = [
    hh.Hypergraph({"secret society": ["ann", "bo"], "club": ["bo", "cy"]}),
    hh.Hypergraph({"team": [7, 9, 11], "pair": [7, 20], "duo": [9, 20]}, nodes=[20, 11, 9, 7]),
]


def test_a_sample_has_the_labels_of_the_hypergraph_it_was_shuffled_from(tmp_path):
    model = ConfigurationModel().fit(CLUBS)
    model.save(tmp_path / "model")
    for fitted in (model, load_model(tmp_path / "model")):
        samples = fitted.sample(40, seed=1)
        assert {H.edges for H in samples} == {H.edges for H in CLUBS}
        for S in samples:
            (H,) = (H for H in CLUBS if H.edges == S.edges)
            assert S.nodes == H.nodes
            assert dict(zip(S.nodes, S.degrees, strict=True)) == dict(zip(H.nodes, H.degrees, strict=True))
            assert dict(zip(S.edges, S.edge_sizes, strict=True)) == dict(zip(H.edges, H.edge_sizes, strict=True))


def test_labels_that_are_not_kept_do_not_go_into_a_saved_model(tmp_path):
    model = ConfigurationModel(keep_labels=False).fit(CLUBS)
    model.save(tmp_path / "model")
    unlabelled = [H.relabel(nodes=range(H.n), edges=range(H.m)) for H in CLUBS]
    assert list(hh.read_collection(tmp_path / "model" / "training.npz")) == unlabelled
    assert load_model(tmp_path / "model").training_ == unlabelled
    assert model.sample(9, seed=1) == [
        H.relabel(nodes=range(H.n), edges=range(H.m)) for H in ConfigurationModel().fit(CLUBS).sample(9, seed=1)
    ]


def test_damaged_arrays(tmp_path):
    model = ConfigurationModel().fit(random_hypergraphs(3, 10, 6))
    model.save(tmp_path / "model")
    file = tmp_path / "model" / "training.npz"
    whole = file.read_bytes()
    for length in range(0, len(whole), 97):
        file.write_bytes(whole[:length])
        with pytest.raises(hh.errors.FormatError, match=r"training\.npz"):
            load_model(tmp_path / "model")
    hh.write_collection(random_hypergraphs(2, 10, 6), file)
    with pytest.raises(
        hh.errors.FormatError, match=r"training\.npz: these are not the hypergraphs that model\.json counts"
    ):
        load_model(tmp_path / "model")
    file.unlink()
    with pytest.raises(hh.errors.FormatError, match=r"training\.npz: the file is missing"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labelled": "node"}, "labelled must be 'stub' or 'vertex', not 'node'"),
        ({"labelled": None}, "labelled must be"),
        ({"sweeps": -1}, "sweeps must be a whole number from 0 on"),
        ({"sweeps": 2.5}, "sweeps must be a whole number"),
        ({"repeats": "never"}, "repeats must be 'as-data' or 'forbid' or 'allow', not 'never'"),
        ({"repeats": None}, "repeats must be"),
        ({"repeats": True}, "repeats must be"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(GeneratorError, match=message):
        ConfigurationModel(**options)
    with pytest.raises(GeneratorError, match=message):
        shuffle(hh.Hypergraph([[0]]), **options)


def test_bad_chains():
    with pytest.raises(HypergraphError, match="H is a list; give a Hypergraph"):
        Chain([[1, 2]])
    with pytest.raises(GeneratorError, match="form must be None or 'words' or 'lists'"):
        Chain(hh.Hypergraph(), form="bits")
    with pytest.raises(GeneratorError, match="proposals must be a whole number"):
        Chain(hh.Hypergraph()).advance(-1)
    with pytest.raises(GeneratorError, match="seed must be"):
        Chain(hh.Hypergraph(), seed="x")


def test_the_compiler_is_loaded_with_the_first_chain():
    code = "import sys, hyperhedge.models.configuration.model; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_a_place_for_machine_code():
    """Where nothing can be cached (a read-only installation without a home), compilation still works."""
    code = (
        "from numba.core import caching; caching.CacheImpl._locator_classes = []; "
        "import hyperhedge as hh; "
        "from hyperhedge.models.configuration.model import shuffle; print(shuffle(hh.Hypergraph([[0, 1], [2]])).edge_sizes)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stdout == "[2 1]\n", done.stderr
