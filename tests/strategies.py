"""Hypothesis strategies: labels that try a parser's patience, and hypergraphs that use them."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

import hyperhedge as hh

AWKWARD = [
    *("1", "007", "-1", "1.5", "nan", "1e3", "0..3", "true", "null", "None", "node", "edge", "node:json"),
    *(
        "#x",
        "a#b",
        "%x",
        "#! empty",
        '"',
        '""',
        'say "hi"',
        "a b",
        "a,b",
        "a\tb",
        "a\nb",
        "a\r\nb",
        "\\",
        "\\n",
    ),
    *(
        " lead",
        "trail ",
        " ",
        "é",
        "日本語",
        "👩‍👩‍👧",
        "\u2028",
        "\x85",
        "\xa0",
        "\x1c",
        "\x7f",
        "\ufeff",
        "=1+1",
        "'",
    ),
    *("<b>", "&amp;", "[bold]", "{}", ";", "::", "a:b"),
]

text_labels = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8),
)
integer_labels = st.one_of(st.integers(0, 12), st.integers(0, 2**63 - 1))
labels = st.one_of(text_labels, integer_labels)


@st.composite
def label_lists(draw, count):
    """Generate ``count`` labels: the default ones, integers, strings, or a mixture."""
    kind = draw(st.sampled_from([None, integer_labels, text_labels, labels]))
    if kind is None:
        return list(range(count))
    return draw(st.lists(kind, min_size=count, max_size=count, unique_by=lambda x: (type(x), x)))


@st.composite
def hypergraphs(draw, max_nodes=6, max_edges=6, min_incidences=0):
    """Generate a hypergraph; isolated nodes, empty and repeated hyperedges are frequent."""
    n = draw(st.integers(1 if min_incidences else 0, max_nodes))
    nodes = draw(label_lists(n))
    members = st.lists(st.sampled_from(nodes), unique=True) if nodes else st.just([])
    pool = draw(st.lists(members, max_size=max_edges))
    again = draw(st.lists(st.sampled_from(pool), max_size=2)) if pool else []
    hyperedges = pool + again
    if min_incidences and not any(hyperedges):
        hyperedges = [*hyperedges, [nodes[0]]]
    return hh.Hypergraph(hyperedges, nodes=nodes, edges=draw(label_lists(len(hyperedges))))


def random_hypergraphs(count, n, m, density=0.3, seed=0):
    """Sample hypergraphs of one shape with independent entries, for numerical checks."""
    rng = np.random.default_rng(seed)
    return [hh.Hypergraph.from_incidence(rng.random((n, m)) < density) for _ in range(count)]


def regular_hypergraph(cycles):
    """Return a 2-regular hypergraph of pairs: cycles of these lengths."""
    edges, start = [], 0
    for length in cycles:
        nodes = [*range(start, start + length), start]
        edges += list(pairwise(nodes))
        start += length
    return hh.Hypergraph(edges)
