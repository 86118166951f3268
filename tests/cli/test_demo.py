"""``hyperhedge demo``: what it says is so, and what it writes is there."""

import re

import hyperhedge as hh


def test_demo(run, tmp_path):
    (tmp_path / "demo").mkdir()
    hh.ErdosRenyi().fit([hh.Hypergraph([[0, 1]])]).save(tmp_path / "demo" / "model")  # as an earlier run leaves one
    code, out, err = run("demo", "--quick", "--out", tmp_path / "demo")
    assert (code, err) == (0, "")
    assert hh.read(tmp_path / "demo" / "women.csv").n == 18
    page = (tmp_path / "demo" / "report.html").read_text()
    assert all(f'id="{section}"' in page for section in ("verdict", "distributions", "gallery", "player", "recipe"))
    new = hh.read_collection(tmp_path / "demo" / "new.hif.jsonl")
    assert new == hh.load_model(tmp_path / "demo" / "model").sample(12, seed=3)
    assert {"HCM", "ER-HG"} <= set(re.findall(r"[\w-]+(?= [01]\.\d\d)", out.split("Fidelity of 1:")[1]))
