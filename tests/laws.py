"""Laws of hypergraphs for statistical tests: one with overlap and hubs, and ways to spoil its draws."""

import numpy as np

import hyperhedge as hh


def teams(count, n=24, m=12, seed=0, again=0.5):
    """Draw hypergraphs whose hyperedges often keep members of an earlier one, with a few popular nodes."""
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(count):
        popularity = rng.pareto(1.5, n) + 0.2
        popularity /= popularity.sum()
        hyperedges = []
        for _ in range(m):
            members = set(rng.choice(n, size=min(n, 1 + rng.geometric(0.5)), replace=False, p=popularity).tolist())
            if hyperedges and rng.random() < again:
                earlier = hyperedges[rng.integers(len(hyperedges))]
                members |= {v for v in earlier if rng.random() < 0.8}
            hyperedges.append(sorted(members))
        drawn.append(hh.Hypergraph(hyperedges, nodes=n))
    return drawn


def rewired(hypergraphs, share, seed=0):
    """Move a share of the incidences of each hypergraph to random places."""
    rng = np.random.default_rng(seed)
    moved = []
    for H in hypergraphs:
        nodes, edges = H.indices.copy(), H.edge_indices.copy()
        chosen = rng.random(len(nodes)) < share
        nodes[chosen] = rng.integers(0, H.n, chosen.sum())
        edges[chosen] = rng.integers(0, H.m, chosen.sum())
        moved.append(hh.Hypergraph.from_indices(nodes, edges, nodes=H.n, edges=H.m))
    return moved


def shuffled(hypergraphs, seed=0):
    """Reorder nodes, hyperedges and hypergraphs."""
    rng = np.random.default_rng(seed)
    orders = [H.permute(nodes=rng.permutation(H.n), edges=rng.permutation(H.m)) for H in hypergraphs]
    return [orders[i] for i in rng.permutation(len(orders))]
