"""The tables of measurements in README.md, bench/README.md and docs/ are what the programs in bench/ make of bench/results."""

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A copy of the results, and the programs, which draw no pictures."""
    pytest.importorskip("matplotlib")
    if not (ROOT / "bench/results").exists():
        pytest.skip("needs a checkout")
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.paper import plots as curves
    from bench.peers import plots

    for module, names in ((plots, ("errors", "mixtures", "noisy")), (curves, ("curves",))):
        for name in names:
            monkeypatch.setattr(module, name, lambda *arguments: None)
    for file in (ROOT / "bench/results").glob("*.json"):
        shutil.copy(file, tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name == "bench" or name.startswith("bench.")]:
        del sys.modules[name]


def test_the_pages_are_what_the_programs_write(results):
    from bench.categories.__main__ import Categories
    from bench.clusters import Clusters
    from bench.coverage import Coverage
    from bench.distil import Distil
    from bench.documents import Documents
    from bench.growth import Growth
    from bench.labels import Labels
    from bench.large.__main__ import Large
    from bench.many.__main__ import Many
    from bench.messages import Messages
    from bench.paper.__main__ import Paper
    from bench.peers.__main__ import Peers
    from bench.prediction.__main__ import Prediction
    from bench.serving.__main__ import Serving
    from bench.spark import Spark
    from bench.tables.__main__ import Tables
    from bench.tuning.__main__ import Tuning

    for benchmark in (Categories, Clusters, Coverage, Distil, Documents, Growth, Labels, Large, Many, Messages, Paper, Peers, Prediction, Serving, Spark, Tables, Tuning):
        benchmark().report(results)
    for page in ("README.md", "bench/README.md", "docs/many-classes.md", "docs/constraints.md", "docs/wrong-labels.md", "docs/soft-labels.md", "docs/large-data.md", "docs/serving.md", "docs/distributed.md", "docs/spark.md", "docs/paper.md"):
        assert (results / page).read_text() == (ROOT / page).read_text(), f"{page}: run the programs of bench/ with --report"


def test_the_front_page_names_every_machine(results):
    """Each cell's machine is one of those listed, and no time is compared with another machine's."""
    from bench.peers import front, plan
    from bench.peers.run import TITLES, Measured
    from bench.results import Results

    sets = [Measured(Results(results, "peers", name)) for name in plan.REAL]
    text = front.summary(sets)
    for s in sets:
        for system, title in TITLES.items():
            if run := s.find(system, "default"):
                line = next(line for line in text.splitlines() if line.startswith("- ") and f"{run.machine['cpu']};" in line and run.machine["system"] in line)
                assert any(title in part.split(": ")[0] and s.name in part.split(": ")[1].split(", ") for part in line.partition(" (")[2].rstrip(")").split("; ")), (s.name, title)
    assert "‡" not in text and " × " not in text
