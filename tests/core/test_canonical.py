"""Isomorphism against trying every permutation, and the hash against isomorphism."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperhedge import Hypergraph
from hyperhedge.core.canonical import colours_after


def isomorphic_by_brute_force(A, B):
    if A.shape != B.shape:
        return False
    columns = sorted(map(tuple, B.T))
    return any(sorted(map(tuple, A[list(p)].T)) == columns for p in permutations(range(len(A))))


matrices = st.tuples(st.integers(0, 4), st.integers(0, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 1), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    ).map(lambda rows: np.array(rows, dtype=int).reshape(shape))
)


@settings(max_examples=400)
@given(matrices, matrices, st.booleans(), st.randoms(use_true_random=False))
def test_isomorphism_agrees_with_brute_force(A, B, related, random):
    if related:  # nearby matrices: a shuffled copy, perhaps with one entry changed
        rows, columns = list(range(A.shape[0])), list(range(A.shape[1]))
        random.shuffle(rows)
        random.shuffle(columns)
        B = A[np.ix_(rows, columns)].copy()
        if B.size and random.random() < 0.5:
            B.flat[random.randrange(B.size)] ^= 1
    expected = isomorphic_by_brute_force(A, B)
    H, G = Hypergraph.from_incidence(A), Hypergraph.from_incidence(B)
    assert H.is_isomorphic(G) == expected
    if expected:
        assert H.canonical_hash == G.canonical_hash


def test_all_small_hypergraphs_are_counted_right():
    """Multisets of 3 non-empty subsets of 3 nodes up to isomorphism, counted by Burnside's lemma."""
    subsets = [frozenset(s) for k in (1, 2, 3) for s in combinations(range(3), k)]
    everything = [Hypergraph(list(edges), nodes=3) for edges in combinations([*subsets, *subsets, *subsets], 3)]
    classes = []
    for H in everything:
        if not any(H.is_isomorphic(G) for G in classes):
            classes.append(H)
    fixed = 0
    for p in permutations(range(3)):
        image = {s: frozenset(p[v] for v in s) for s in subsets}
        lengths, seen = [], set()
        for s in subsets:
            length = 0
            while s not in seen:
                seen.add(s)
                s, length = image[s], length + 1
            lengths += [length] if length else []
        ways = np.zeros(4, dtype=int)  # multisets of size k that the permutation fixes
        ways[0] = 1
        for length in lengths:
            for k in range(length, 4):
                ways[k] += ways[k - length]
        fixed += int(ways[3])
    assert len(classes) == fixed // 6
    assert len({H.canonical_hash for H in classes}) == len(classes)


def test_it_matters_which_twin_is_repeated():
    """Equal in size, in incidences and up to multiplicities; only how often each hyperedge and node comes differs."""
    near, far, marker = [0, 1], [2, 3], [0]
    assert not Hypergraph([near, near, far, marker]).is_isomorphic(Hypergraph([near, far, far, marker]))
    H = Hypergraph([[0, 1], [0, 2, 3], [4]], nodes=5).dual()
    G = Hypergraph([[0, 1], [0, 2], [3, 4], [4]][:3], nodes=5).dual()
    assert not H.is_isomorphic(G)
    assert not H.dual().is_isomorphic(G.dual())


def two_triangles_and_a_hexagon():
    triangles = Hypergraph([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]])
    hexagon = Hypergraph([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]])
    return triangles, hexagon


def test_refinement_cannot_see_cycles_and_the_search_can():
    triangles, hexagon = two_triangles_and_a_hexagon()
    assert triangles.canonical_hash == hexagon.canonical_hash
    assert not triangles.is_isomorphic(hexagon)


@pytest.mark.parametrize("seed", range(3))
def test_many_twins_do_not_make_the_search_slow(seed):
    """Fifty copies of a hyperedge and a hundred isolated nodes have 50! · 100! symmetries."""
    rng = np.random.default_rng(seed)
    H = Hypergraph([[0, 1, 2]] * 50 + [[2, 3]], nodes=104)
    G = H.permute(nodes=rng.permutation(104), edges=rng.permutation(51))
    assert H.is_isomorphic(G)
    assert not H.is_isomorphic(Hypergraph([[0, 1, 2]] * 49 + [[0, 1, 3]] + [[2, 3]], nodes=104))


def test_hash_is_the_same_in_every_process_and_version():
    """The hash is stored in files; a change of it must be meant."""
    assert Hypergraph([["a", "b"], ["b", "c", "d"]]).canonical_hash == Hypergraph([[0, 1], [1, 2, 3]]).canonical_hash
    assert Hypergraph([[0, 1], [1, 2, 3]]).canonical_hash == "b474e52dd897964ae43a3857d93ad57d"


def test_each_round_of_refinement_sees_one_step_further():
    path = Hypergraph([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    path_and_triangle = Hypergraph([[0, 1], [1, 2], [3, 4], [4, 5], [5, 3]])

    def counts(H):
        return [sorted(np.concatenate(both).tolist()) for both in colours_after(H._bipartite(), 3)]

    assert counts(path) == counts(path.permute(nodes=[4, 2, 0, 3, 1, 5], edges=[2, 0, 1, 4, 3]))
    equal = [a == b for a, b in zip(counts(path), counts(path_and_triangle), strict=True)]
    assert equal == [True, True, False]  # degrees and sizes agree, and what they are next to; not the next step
