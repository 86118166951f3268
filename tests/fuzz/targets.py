"""What is fuzzed: readers of files, models, experiments, the command line.

A target prepares valid contents in a folder. Its `case` makes a damaged one from a `random.Random` and returns what to call; what
the call raises is judged by `fuzz.oracle`.
"""

import contextlib
import io
import json
import os
import random
import shutil
import tomllib
import warnings
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

import hyperhedge as hh
from bench_experiments import HEDGE, TINY
from fuzz.mutate import EXTREMES, json_of, mutated_bytes, mutated_tree, toml_of
from hyperhedge.bench.experiment import read_experiment
from hyperhedge.cli import main
from hyperhedge.io import read, read_collection, write, write_collection
from hyperhedge.models.base import load_model, make_model
from small_hedge import QUICK as HEDGE_QUICK
from small_hygene import QUICK as HYGENE_QUICK

GRAPHS = [
    hh.Hypergraph([[0, 1, 2], [1, 2], [3]], nodes=5),
    hh.Hypergraph(
        {"picnic": ["ann", "bo", "cy"], "chess": ["bo", "di"], "ω": []}, nodes=["ann", "bo", "cy", "di", "1", 7]
    ),
    hh.Hypergraph([[0, 2], [0, 2], [1]]),
    hh.Hypergraph(),
]


class Npz:
    """Archives with one hypergraph and with several, and arrays that were changed before they were packed."""

    def __init__(self, folder):
        self.file, self.seeds = folder / "case.npz", []
        for H in GRAPHS:
            write(H, self.file)
            self.seeds.append(self.file.read_bytes())
        write_collection(GRAPHS, self.file)
        self.seeds.append(self.file.read_bytes())

    def case(self, rng):
        seed = rng.choice(self.seeds)
        self.file.write_bytes(mutated_bytes(seed, rng, self.seeds) if rng.random() < 0.3 else self._repacked(seed, rng))
        return partial(rng.choice((read, read_collection)), self.file)

    def _repacked(self, seed, rng):
        with np.load(io.BytesIO(seed)) as archive:
            arrays = dict(archive)
        for _ in range(rng.choice((1, 1, 2))):
            name = rng.choice(sorted(arrays))
            arrays[name] = _changed(arrays[name], rng)
        if rng.random() < 0.1:
            del arrays[rng.choice(sorted(arrays))]
        packed = io.BytesIO()
        np.savez(packed, **arrays)
        return packed.getvalue()


_NUMBERS = (0, 1, -1, 2, 127, 128, 255, 2**31 - 1, 2**31, 2**62, 2**63 - 1, -(2**63), 2**32)
_DTYPES = ("i1", "u1", "i4", "i8", "u8", "f4", "f8", "c16", "?", "S3", "U2", ">i8", "M8[s]")


def _changed(array, rng):
    way = rng.randrange(5)
    with (
        warnings.catch_warnings(action="ignore"),
        contextlib.suppress(ValueError, OverflowError, TypeError, RuntimeError),
    ):
        if way == 0:
            return array.astype(rng.choice(_DTYPES))
        if way == 1 and array.size and array.dtype.kind in "iu":
            array = array.astype("i8")
            array.flat[rng.randrange(array.size)] = rng.choice(_NUMBERS)
            return array
        if way == 2:
            return np.resize(array, rng.choice(((), (0,), (1,), (3,), (2, 2), (0, 5), (array.size + 1,))))
        if way == 3 and array.dtype == np.uint8:
            return np.frombuffer(mutated_bytes(array.tobytes(), rng), dtype=np.uint8)
    return np.array(rng.choice(_NUMBERS))


class Texts:
    """HIF, hyperedge lists, CSV tables and collections, by their endings."""

    def __init__(self, folder):
        self.folder, self.seeds = folder, {}
        for ending in (".hif.json", ".txt", ".csv", ".tsv"):
            for H in GRAPHS[:2]:
                file = folder / f"seed{ending}"
                with contextlib.suppress(hh.errors.HyperhedgeError):  # no format has it all
                    write(H, file)
                    self.seeds.setdefault(ending, []).append(file.read_bytes())
        write_collection(GRAPHS, folder / "seed.hif.jsonl")
        self.seeds[".hif.jsonl"] = [(folder / "seed.hif.jsonl").read_bytes()]
        graph = {"hypergraph_type": "hypergraph", "hypergraph_metadata": {}, "node_metadata": {}, "edge_metadata": {}}
        self.seeds[".json"] = [json.dumps([[0, 1], [1, 2]]).encode(), json.dumps(graph).encode()]
        self.all = [seed for seeds in self.seeds.values() for seed in seeds]

    def case(self, rng):
        ending = rng.choice(sorted(self.seeds))
        seed = rng.choice(self.seeds[ending])
        file = self.folder / f"case{ending}"
        if ending.endswith("json") and rng.random() < 0.6:
            file.write_bytes(json_of(mutated_tree(json.loads(seed), rng)))
        else:
            file.write_bytes(mutated_bytes(seed, rng, self.all))
        return partial(read_collection if ending == ".hif.jsonl" else read, file)


class Models:
    """Folders of every model: fields of `model.json`, and bytes of all files."""

    def __init__(self, folder):
        self.folder, self.seeds = folder / "model", []
        options = {"hedge": HEDGE_QUICK | {"iterations": 2}, "hygene": HYGENE_QUICK | {"iterations": 2}}
        training = [hh.Hypergraph([[0, 1, 2], [1, 2], [3]], nodes=5)] * 2 + [hh.Hypergraph([[0, 2], [0, 2], [1]])]
        for name in ("hedge", "hygene", "erdos-renyi", "configuration", "chung-lu", "block-model"):
            make_model(name, **options.get(name, {})).fit(training).save(self.folder)
            self.seeds.append({file.name: file.read_bytes() for file in self.folder.iterdir()})
            shutil.rmtree(self.folder)

    def case(self, rng):
        files = dict(rng.choice(self.seeds))
        name = "model.json" if rng.random() < 0.6 else rng.choice(sorted(files))
        if name == "model.json" and rng.random() < 0.8:
            files[name] = json_of(mutated_tree(json.loads(files[name]), rng))
        elif name.endswith(".safetensors") and rng.random() < 0.5:
            files[name] = _with_other_header(files[name], rng)
        else:
            files[name] = mutated_bytes(files[name], rng, list(files.values()))
        if rng.random() < 0.03:
            files.pop(rng.choice(sorted(files)))
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        return self._load_and_sample

    def _load_and_sample(self):
        """Load, and sample from what is loaded if that is small: how much is asked for is not what is tried here."""
        model = load_model(self.folder)
        work = [getattr(model, name, 1) for name in ("steps", "sweeps", "radius")]
        if max(max(n, m) for n, m in model.shapes_) <= 20 and max(work) <= 200:
            with warnings.catch_warnings(action="ignore"):
                model.sample(1, seed=0)


def _with_other_header(data, rng):
    length = int.from_bytes(data[:8], "little")
    header = json_of(mutated_tree(json.loads(data[8 : 8 + length]), rng))
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


class Experiments:
    """Experiment files: their text, and their keys and values."""

    SMOKE = "\n[smoke]\nseeds = 1\ndatasets = 1\nprotocol = { train = 4, test = 2, generated = 2 }\n"

    def __init__(self, folder):
        self.file, self.seed = folder / "case.toml", (TINY + HEDGE + self.SMOKE).encode()
        self.document = tomllib.loads(self.seed.decode())

    def case(self, rng):
        structured = rng.random() < 0.7
        self.file.write_bytes(
            toml_of(mutated_tree(self.document, rng)) if structured else mutated_bytes(self.seed, rng, [self.seed])
        )
        return self._read

    def _read(self):
        experiment = read_experiment(self.file)
        for each in (experiment, experiment.for_smoke()):
            for cell in islice(each.cells(), 3):
                _ = cell.fingerprint


class Commands:
    """The command line: commands with valid, extreme, misspelt and missing arguments, in a folder with small files."""

    def __init__(self, folder):
        self.folder = folder
        write(GRAPHS[0], folder / "one.hif.json")
        write(GRAPHS[1], folder / "two.txt")
        write_collection(GRAPHS[:3] * 4, folder / "many.hif.jsonl")
        (folder / "bad.csv").write_bytes(b"a,b\n1\n\xff")
        (folder / "tiny.toml").write_text(TINY)
        (folder / "empty").mkdir()
        (folder / "nothing.npz").write_bytes(b"")
        make_model("erdos-renyi").fit(GRAPHS[:3]).save(folder / "model")
        make_model("hedge", **HEDGE_QUICK | {"iterations": 1}).fit(GRAPHS[:1]).save(folder / "learned")
        self.kept = {path.name for path in folder.iterdir()}

    FILES = (
        "one.hif.json",
        "two.txt",
        "many.hif.jsonl",
        "bad.csv",
        "empty",
        "nothing.npz",
        "model",
        "learned",
        "tiny.toml",
    )
    WORDS = (*FILES, "missing", "", "-x", "a\nb", "x" * 300, "é.json", "out/deep", "\udcff", *EXTREMES)
    FORMATS = ("hif", "hyperedge-list", "bipartite", "npz", "hif-jsonl", "folder", "hfi")
    SETTINGS = (
        "repair=false",
        "groups=1e5",
        "labelled=vertex",
        "sweeps=-1",
        "sweeps=3",
        "x",
        "=",
        "a=",
        "groups=",
        "repair=nan",
    )

    def case(self, rng):
        for path in self.folder.iterdir():
            if path.name not in self.kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        words = rng.choice(self._commands)(self, rng)
        if rng.random() < 0.3 and len(words) > 1:
            k = rng.randrange(1, len(words))
            words[k : k + 1] = rng.choice(([], [words[k]] * 2, [rng.choice(self.WORDS)], ["--" + words[k]]))
        # What takes long or other machines, however the words came together.
        heavy = {
            "--count",
            "--processes",
            "--cluster",
            "--jobs",
            "-j",
            "fetch",
            "demo",
            "animate",
            "-n",
            "-m",
            "--steps",
        }
        if heavy & set(words):
            words = [word for word in words if word not in heavy]
        return partial(self._run, words)

    def _run(self, words):
        """Run a command as `main` does; its exit code is part of what is judged."""
        before = Path.cwd()
        os.chdir(self.folder)
        out, err = io.StringIO(), io.StringIO()
        try:
            with (
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                warnings.catch_warnings(action="ignore"),
            ):
                main(words)
        except SystemExit as end:
            self._judge(words, end.code, err.getvalue())
        finally:
            os.chdir(before)

    @staticmethod
    def _judge(words, code, printed):
        if code not in (0, 2) or "Traceback" in printed:
            raise AssertionError(f"{words}: exit code {code}: {printed[-300:]}")
        errors = [line for line in printed.splitlines() if line.startswith("Error: ")]
        if code == 2 and words and len(errors) != 1:
            raise AssertionError(f"{words}: exit code 2 with {len(errors)} errors: {printed[-300:]}")

    def _file(self, rng):
        return rng.choice(self.FILES if rng.random() < 0.7 else self.WORDS)

    def _out(self, rng, *endings):
        return rng.choice(("out", "out/x", "new", *self.WORDS[:4])) + rng.choice((*endings, *endings, ".xyz", ""))

    def _fit(self, rng):
        model = rng.choice(("erdos-renyi", "configuration", "chung-lu", "block-model", "oracle", ""))
        words = ["fit", self._file(rng), "--model", model, "--out", self._out(rng, "")]
        if rng.random() < 0.4:
            words += ["--set", rng.choice(self.SETTINGS)]
        return words + rng.choice(
            ([], ["--overwrite"], ["--seed", rng.choice(EXTREMES)], ["--resume"], ["--max-time", "1x"])
        )

    def _sample(self, rng):
        words = [
            "sample",
            rng.choice(("model", "learned", self._file(rng))),
            "--out",
            self._out(rng, ".npz", ".hif.jsonl"),
        ]
        words += rng.choice(([], ["--seed", rng.choice(EXTREMES)], ["--sampler", "flow"], ["--projection", "x"]))
        return [*words, f"--count={rng.choice(('0', '1', '2', '-1', 'x', ''))}"]

    def _convert(self, rng):
        words = ["convert", self._file(rng), self._out(rng, ".hif.json", ".txt", ".csv", ".npz", ".hif.jsonl")]
        for flag in ("--from", "--to", "--node-column", "--edge-column"):
            if rng.random() < 0.25:
                words += [flag, rng.choice((*self.FORMATS, *self.WORDS))]
        return words

    def _info(self, rng):
        return [
            "info",
            self._file(rng),
            *rng.choice(([], ["--json"], ["--format", rng.choice(self.FORMATS)], ["--nope"])),
        ]

    def _bench(self, rng):
        words = ["bench", rng.choice(("status", "tables", "status", "")), rng.choice(("tiny.toml", self._file(rng)))]
        return words + rng.choice(([], ["--smoke"], ["--results", self._file(rng)], ["--dataset", "x"]))

    def _data(self, rng):
        words = ["data", rng.choice(("list", "info", "bank", "")), rng.choice(("cora", "x", self._file(rng)))]
        return words + rng.choice(([], ["--out", self._out(rng, ".npz")], ["--json"], ["--seed", rng.choice(EXTREMES)]))

    def _any(self, rng):
        return [rng.choice(("fit", "info", "--version", "-h", "--help", *self.WORDS)) for _ in range(rng.randrange(5))]

    _commands = (_fit, _sample, _convert, _convert, _info, _info, _bench, _data, _any)


TARGETS = {"npz": Npz, "texts": Texts, "models": Models, "experiments": Experiments, "commands": Commands}


def generator_of(target, seed, number):
    """Return the source of randomness of a case, which its number determines."""
    return random.Random(f"{target} {seed} {number}")
