"""The pictures in notebooks: well-formed, bounded, and showing what is there."""

import xml.etree.ElementTree as ET

import numpy as np
from hypothesis import given

import hyperhedge as hh
from strategies import hypergraphs

SVG = "{http://www.w3.org/2000/svg}"


def squares(H):
    root = ET.fromstring(H._repr_svg_())  # noqa: S314
    return root.findall(f"{SVG}rect")[1:], root.findall(f"{SVG}text")


@given(H=hypergraphs())
def test_a_small_picture_has_a_square_an_incidence_and_a_text_a_label(H):
    rects, texts = squares(H)
    assert len(rects) == H.num_incidences
    assert len(texts) == H.n + H.m
    assert all(rect.get("fill-opacity") == "1" for rect in rects)


def test_a_large_picture_is_bounded_and_its_opacity_is_the_density():
    rng = np.random.default_rng(0)
    H = hh.Hypergraph.from_incidence(rng.random((1000, 640)) < 0.25)
    rects, texts = squares(H)
    assert len(rects) <= 64 * 64
    assert not texts
    mean = np.mean([float(rect.get("fill-opacity")) for rect in rects])
    assert abs(mean - 0.5) < 0.02  # the square root of the density


def test_labels_are_escaped_and_cut():
    text = hh.Hypergraph([["<script>alert(1)</script>", "x" * 50]])._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "x" * 17 + "…" in text


def test_the_caption_tells_degrees_and_sizes():
    text = hh.Hypergraph([[0, 1], [1]])._repr_html_()
    assert "2 nodes, 2 hyperedges, 3 incidences" in text
    assert "degree 1.5 on average (1–2)" in text
    assert repr(hh.Hypergraph([[0]])) == "<Hypergraph: 1 node, 1 hyperedge, 1 incidence>"
    assert hh.Hypergraph()._repr_html_().startswith("<figure")
