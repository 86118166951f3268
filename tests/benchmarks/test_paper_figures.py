"""Figures of a results page: panels, and which hypergraphs they show."""

from benchmarks.examples import at_quantiles, from_json, nearest, to_json
from benchmarks.figures import path_of_oracle
from benchmarks.paper_figures import (
    films,
    heat_figure,
    native_figure,
    noise_figure,
    result_figures,
    tier_figure,
)

import hyperhedge as hh
from hyperhedge.diffusion.process import HeatOU
from hyperhedge.diffusion.schedules import Cosine
from strategies import random_hypergraphs

PROCESS = HeatOU(Cosine(1.0), gamma=8.0, tau=0.5, mean=0.35)


def test_the_path_of_the_oracle_ends_at_the_hypergraph():
    path, times = path_of_oracle(films(), PROCESS)
    assert ((path[-1] >= 0.5) == films().incidence.toarray()).all()
    assert ((path[0] >= 0.5) != films().incidence.toarray()).any()
    assert (times[0], times[-1], len(times)) == (1.0, 0.0, len(path))


def test_the_figure_of_the_process_has_both_ways():
    titles = [ax.get_title() for part in noise_figure(films(), PROCESS).subfigs for ax in part.axes]
    assert titles == ["", "", "s = 0 S", "s = 0.1 S", "s = 0.25 S", "s = 0.5 S", "s = 1 S"] + [
        f"s = {share} S" for share in ("1", "0.5", "0.25", "0.1", "0")
    ]


def test_without_heat_entries_fade_where_they_are():
    """See that entries of 0 stay alike without heat, and take different values where heat reaches them."""
    pictures = [ax.images[0].get_array() for ax in heat_figure(films(), PROCESS).axes]
    zero = pictures[0] < 0.5
    without, with_heat = pictures[3][zero], pictures[7][zero]
    assert without.std() < 1e-9
    assert with_heat.std() > 0.05


def test_each_generator_has_a_column():
    graphs = random_hypergraphs(6, 6, 4, seed=0)
    figure = native_figure(graphs[:2], {"A": graphs[2:4], "B": graphs[4:]})
    assert [ax.get_title() for ax in figure.axes] == ["held out", "A", "B", "", "", ""]


def test_tiers_are_matched_by_incidences():
    real = [hh.Hypergraph([range(k)], nodes=12) for k in range(1, 12)]
    made = [hh.Hypergraph([range(k)], nodes=12) for k in (1, 5, 11)]
    told = [ax.get_title().splitlines() for ax in tier_figure(real, {"G": made}).axes]
    assert told == [
        ["held out", "low: 2 incidences"],
        ["G", "low: 1 incidences"],
        ["median: 6 incidences"],
        ["median: 5 incidences"],
        ["high: 10 incidences"],
        ["high: 11 incidences"],
    ]


def test_the_pictures_of_the_results_show_what_was_chosen():
    real = random_hypergraphs(9, 7, 5, seed=1)
    assert from_json(to_json(real)) == real
    own = at_quantiles(real, [0.0, 1.0])
    counts = [H.num_incidences for H in real]
    assert [H.num_incidences for H in own] == [min(counts), max(counts)]
    assert [H.num_incidences for H in nearest(real, own)] == [H.num_incidences for H in own]
    rows = {"held out": to_json(real[:3]), "Hedge": to_json(real[3:6])}
    record = {"measured": {"native": {**rows, "HYGENE": to_json(real[6:])}, "tiers": {"cora": rows}}}
    figures = result_figures(record)
    assert list(figures) == ["results-native", "results-tiers-cora"]
    assert [ax.get_title() for ax in figures["results-native"].axes][:3] == ["held out", "Hedge", "HYGENE"]
    assert len(figures["results-tiers-cora"].axes) == 6
