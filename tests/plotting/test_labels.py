"""Labels: what is written, and where there is room for it."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from hyperhedge.plotting.labels import are_names, label_text, place_labels


@pytest.fixture
def ax():
    ax = plt.figure(figsize=(5, 4)).add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 10), ylim=(0, 8))
    return ax


def placed(ax, points, labels, **options):
    """Place labels beside dots, and return their boxes in the units of the axes."""
    points = np.array(points, dtype=float)
    boxes = place_labels(ax, list(points[:, None]), labels, dots=points, dot_radius=0.1, **options)
    return np.array(boxes[-len(labels) :]) / 36  # half an inch per unit


def covers(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def test_labels_do_not_cover_each_other_or_dots_where_there_is_room(ax):
    dots = [[2, 4], [4, 4], [6, 4], [4.2, 4.3]]
    boxes = placed(ax, dots, ["adam", "beatrice", "cyril", "dora"])
    for k, a in enumerate(boxes):
        assert not any(covers(a, b) for b in boxes[:k])
        assert not any(covers(a, (x - 0.1, y - 0.1, x + 0.1, y + 0.1)) for x, y in dots)


def test_boxes_taken_before_are_avoided(ax):
    free = placed(ax, [[5, 4]], ["adam"])[0]
    moved = placed(ax, [[5, 4]], ["adam"], taken=[36 * free])[0]
    assert not covers(free, moved)


def test_labels_stay_inside_the_axes(ax):
    for dot in ([0.2, 4], [9.8, 4], [5, 0.2], [5, 7.8]):
        x0, y0, x1, y1 = placed(ax, [dot, [5, 4]], ["beatrice", ""])[0]
        assert min(x0, y0) >= -1e-9
        assert (x1 <= 10, y1 <= 8) == (True, True)


def test_labels_point_away_from_the_middle(ax):
    ring = 5 + 2 * np.stack([np.cos(np.arange(6)), np.sin(np.arange(6))], axis=1)
    boxes = placed(ax, ring - [0, 1], list("abcdef"))
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    outwards = ((centres - ring + [0, 1]) * (ring - ring.mean(0))).sum(1)
    assert (outwards > 0).all()


def test_a_hyperedge_s_label_stays_out_of_other_hulls(ax):
    """Two anchors that are equally good but for a hull around one of them."""
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    anchors = np.array([[3.0, 4.0], [7.0, 4.0]])
    for around, free in ((3, 7), (7, 3)):
        hulls = [np.zeros((0, 2)), square + np.array([around, 4])]
        boxes = place_labels(ax, [anchors, anchors], ["x", ""], dots=np.zeros((0, 2)), dot_radius=0.1, hulls=hulls)
        assert abs((boxes[0][0] + boxes[0][2]) / 72 - free) < 1


def test_texts_are_written_at_their_boxes_in_their_colours(ax):
    boxes = placed(ax, [[2, 2], [7, 6]], ["adam", 5], colours=["red", "blue"], fontsize=12)
    assert [(text.get_text(), text.get_color(), text.get_fontsize()) for text in ax.texts] == [
        ("adam", "red", 12),
        ("5", "blue", 12),
    ]
    centres = [text.get_position() for text in ax.texts]
    np.testing.assert_allclose(centres, (boxes[:, :2] + boxes[:, 2:]) / 2, atol=1e-9)


def test_long_labels_are_cut():
    assert label_text("x" * 100) == "x" * 27 + "…"
    assert label_text("\n") == ""


def test_names_are_labels_that_are_not_numbers():
    assert are_names((1, "a"))
    assert not are_names(range(3))
    assert not are_names((1, 2.5))
    assert not are_names(())
