import functools
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import ranks

import aoso
from aoso.errors import ArgumentError, CollectiveError


@functools.cache
def wanted(name):
    return ranks.trained(name).fingerprint


@pytest.mark.sampled(4)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ranks.DATA)
def test_one_model(name, size):
    boosters = ranks.on_threads(size, lambda collective: ranks.trained(name, collective))
    assert [b.fingerprint for b in boosters] == [wanted(name)] * size
    assert all(b.classes.tolist() == np.unique(ranks.DATA[name]()["y"]).tolist() for b in boosters)


def test_blocks():
    def work(collective):
        data = ranks.part(ranks.mixed(), collective.rank, collective.size)
        blocks = [tuple(data[k][i : i + 70] for k in ("x", "y", "weight", "row_id")) for i in range(0, len(data["y"]), 70)]
        return aoso.train(ranks.PARAMS["mixed"], aoso.Dataset.from_blocks(blocks, collective=collective, nthread=1)).fingerprint

    assert ranks.on_threads(2, work) == [wanted("mixed")] * 2


def test_sparse_leaves():
    params = {"leaf": "sparse", "n_estimators": 5, "subsample": 0.7, "nthread": 1}
    whole = aoso.train(params, aoso.Dataset(**ranks.mixed(), nthread=1))

    def work(collective):
        data = ranks.part(ranks.mixed(), collective.rank, collective.size)
        return aoso.train(params, aoso.Dataset(**data, collective=collective, nthread=1)).fingerprint

    assert ranks.on_threads(3, work) == [whole.fingerprint] * 3


def test_a_model_is_continued_on_other_ranks():
    params = {"preset": "paper", "n_estimators": 3, "nthread": 1}
    half = aoso.train(params, aoso.Dataset(**ranks.mixed(), nthread=1))
    whole = aoso.train(params, aoso.Dataset(**ranks.mixed(), init_model=half, nthread=1))

    def work(collective):
        data = ranks.part(ranks.mixed(), collective.rank, collective.size)
        return aoso.train(params, aoso.Dataset(**data, init_model=half, collective=collective, nthread=1)).fingerprint

    assert ranks.on_threads(3, work) == [whole.fingerprint] * 3


def test_a_training_goes_on_on_other_ranks(tmp_path):
    """Rank 0 saves models and checkpoints without a call of the others."""
    params, model = {"n_estimators": 6, "nthread": 1}, tmp_path / "model"
    whole = aoso.train(params, aoso.Dataset(**ranks.mixed(), nthread=1))

    def work(steps, collective):
        def give_up(progress):
            nonlocal steps
            steps -= 1
            if steps == 0:
                raise RuntimeError("given up")

        data = ranks.part(ranks.mixed(), collective.rank, collective.size)
        train_set = aoso.Dataset(**data, collective=collective, nthread=1)
        callbacks = [give_up, aoso.checkpoint(model, every=2)]
        file = tmp_path / "training" if collective.rank == 0 else tmp_path / "nowhere" / "training"
        return aoso.train(params, train_set, callbacks=callbacks, checkpoint=file, checkpoint_seconds=1e-9).fingerprint

    for size, steps in ((3, 4), (1, 9), (2, 11)):
        assert all(isinstance(e, (RuntimeError, CollectiveError)) for e in ranks.on_threads(size, functools.partial(work, steps)))
    assert aoso.Booster.load(model).num_trees in (2, 4)
    assert ranks.on_threads(4, functools.partial(work, 0)) == [whole.fingerprint] * 4
    assert aoso.Booster.load(model).fingerprint == whole.fingerprint


def small(collective, seed=1):
    rng = np.random.default_rng(seed + collective.rank)
    return aoso.Dataset(rng.normal(size=(200, 3)), rng.integers(0, 3, 200), collective=collective, nthread=1)


FEW = {"n_estimators": 5, "calibration": "none", "nthread": 1}


def test_validation_and_callbacks():
    """All ranks stop if a callback of one of them says so."""

    def work(collective):
        train_set = small(collective)
        rng = np.random.default_rng(9 + collective.rank)
        valid = train_set.aligned(rng.normal(size=(40, 3)), rng.integers(0, 3, 40))
        callbacks = [lambda progress: progress.iteration == 3] if collective.rank == 1 else None
        booster = aoso.train(FEW, train_set, valid=valid, callbacks=callbacks)
        return booster.fingerprint, booster.result.iterations, booster.result.valid

    first, second = ranks.on_threads(2, work)
    assert first == second
    assert first[1] == 3


@pytest.mark.parametrize("metric", ["logloss", "f1_macro"])
def test_several_validation_sets_class_weights_and_a_checkpoint(tmp_path, metric):
    """Evaluations are those of one machine, also of a training that goes on from its file."""

    def work(file, collective=None):
        data = ranks.mixed() if collective is None else ranks.part(ranks.mixed(), collective.rank, collective.size)
        train_set = aoso.Dataset(**data, collective=collective, nthread=1)
        odd = data["row_id"] % 2 == 1
        valid = train_set.aligned(data["x"][odd], data["y"][odd], weight=data["weight"][odd])
        history = {}
        params = {"n_estimators": 5, "early_stopping_rounds": 3, "metric": metric, "nthread": 1, "class_weight": "balanced"}
        arguments = {"valid_sets": {"odd": valid, "all": train_set}, "callbacks": [aoso.record_evaluation(history)]}
        return aoso.train(params, train_set, checkpoint=file, **arguments).fingerprint, history

    want = work(tmp_path / "one")
    assert metric in want[1]["odd"] and metric in want[1]["all"]
    assert ranks.on_threads(3, lambda collective: work(tmp_path / "three", collective)) == [want] * 3
    assert ranks.on_threads(2, lambda collective: work(tmp_path / "three", collective)) == [want] * 2


def loss_and_error(probabilities, dataset):
    """Means over rows: lower, and higher, is better."""
    label, weight, rows = dataset.get_label(), dataset.get_weight(), np.arange(dataset.num_rows)
    place = np.searchsorted(dataset.classes, label)
    loss = -np.log(probabilities[rows, place])
    right = probabilities.argmax(axis=1) == place
    return [("own_loss", np.average(loss, weights=weight), False), ("own_share", np.average(right, weights=weight), True)]


@pytest.mark.parametrize("metric", ["own_loss", "own_share"])
def test_custom_metrics_are_means_of_the_ranks(metric):
    """They end training at the same iteration on all ranks, and on one machine."""

    def work(collective=None):
        data = ranks.mixed() if collective is None else ranks.part(ranks.mixed(), collective.rank, collective.size)
        train_set = aoso.Dataset(**data, collective=collective, nthread=1)
        chosen = data["row_id"] % 3 == 0
        if collective is not None and collective.rank == 0:
            chosen[:] = False  # a rank without validation rows
        elif collective is None:
            chosen[: int(len(chosen) / 3**1.5)] = False
        valid = train_set.aligned(data["x"][chosen], data["y"][chosen], weight=data["weight"][chosen])
        history = {}
        params = {"n_estimators": 40, "early_stopping_rounds": 2, "min_delta": 0.02, "metric": metric, "preset": "paper", "learning_rate": 1, "nthread": 1}
        callbacks = [aoso.record_evaluation(history)]
        booster = aoso.train(params, train_set, valid=valid, feval=loss_and_error, callbacks=callbacks)
        return booster.fingerprint, booster.result.iterations, booster.result.stopped_by, history["valid"]

    want = work()
    results = ranks.on_threads(3, work)
    assert results[0] == results[1] == results[2], results
    assert results[0][:3] == want[:3] and want[2] == "early_stopping"
    for name in ("own_loss", "own_share"):
        np.testing.assert_allclose(results[0][3][name], want[3][name], rtol=1e-12)
    np.testing.assert_allclose(results[0][3]["own_loss"], want[3]["logloss"], rtol=1e-9)


def test_custom_metrics_that_differ():
    def work(feval, collective):
        train_set = small(collective)
        valid = train_set.aligned(np.ones((5, 3)), np.arange(5) % 3)
        return aoso.train(FEW, train_set, valid=valid, feval=feval[collective.rank])

    def one(*_):
        return "one", 0.5, True

    for other, message in [(lambda *_: ("two", 0.5, True), "allowed: the same metrics on all ranks"), (lambda *_: 1 / 0, "division by zero")]:
        for error in ranks.on_threads(2, functools.partial(work, [one, other])):
            assert message in str(error), repr(error)


class Failing(ranks.LocalCollective):
    """Rank 1 fails in a call."""

    at = 0

    def __init__(self, rank, meeting):
        super().__init__(rank, meeting)
        self.calls = 0

    def all_gather(self, data):
        self.calls += 1
        if self.rank == 1 and self.calls == self.at:
            raise ZeroDivisionError("the engine fails")
        return super().all_gather(data)


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5, 8, 13, 30, 70])
def test_errors_of_an_engine(at):
    kind = type("Kind", (Failing,), {"at": at})
    first, second = ranks.on_threads(2, lambda collective: aoso.train(FEW, small(collective)), kind)
    assert isinstance(first, CollectiveError), repr(first)
    assert "rank 1" in str(first) and "ZeroDivisionError: the engine fails" in str(first), repr(first)
    assert isinstance(second, CollectiveError) and isinstance(second.__cause__, ZeroDivisionError), repr(second)


def test_wrong_data_on_a_rank():
    def work(collective):
        return aoso.Dataset(np.ones((5, 2)), [0, 1, 0, 1, 0][collective.rank :], collective=collective)

    first, second = ranks.on_threads(2, work)
    assert isinstance(first, CollectiveError) and "rank 1: ArgumentError: y has 4 labels" in str(first)
    assert isinstance(second, ArgumentError)


def test_an_error_in_a_callback():
    def work(collective):
        callbacks = [lambda progress: 0 / (progress.iteration < 2)] if collective.rank == 0 else None
        return aoso.train(FEW, small(collective), callbacks=callbacks)

    first, second = ranks.on_threads(2, work)
    assert isinstance(first, ZeroDivisionError)
    assert isinstance(second, CollectiveError) and "rank 0: ZeroDivisionError" in str(second)


def test_other_parameters():
    results = ranks.on_threads(2, lambda c: aoso.train({**FEW, "max_leaves": 4 + c.rank}, small(c)))
    assert all(isinstance(e, (ArgumentError, CollectiveError)) and "rank" in str(e) for e in results), results


def test_arguments():
    with pytest.raises(ArgumentError, match="collective is a str"):
        aoso.Dataset(np.ones((5, 2)), [0, 1, 0, 1, 0], collective="mpi")
    with pytest.raises(ArgumentError, match="collective is given"):
        aoso.cv(None, np.ones((50, 2)), np.arange(50) % 2, collective=ranks.LocalCollective(0, ranks.Meeting(1)))


def test_ctrl_c_while_a_rank_waits():
    """The others hear of it. No traceback comes from ctypes."""
    program = """
        import _thread, threading, time, sys
        import numpy as np, aoso, ranks

        meeting, told = ranks.Meeting(2), []

        class Slow(ranks.LocalCollective):
            def all_gather(self, data):
                if len(told) == 0:
                    told.append(threading.Timer(0.2, _thread.interrupt_main))
                    told[0].start()
                    time.sleep(0.6)
                return super().all_gather(data)

        def other():
            try:
                aoso.Dataset(np.ones((9, 2)), np.arange(9), collective=ranks.LocalCollective(1, meeting))
            except aoso.AosoError as e:
                ranks.say(f"{type(e).__name__} {'KeyboardInterrupt' in str(e)}")

        thread = threading.Thread(target=other)
        thread.start()
        try:
            aoso.Dataset(np.ones((9, 2)), np.arange(9), collective=Slow(0, meeting))
        except KeyboardInterrupt:
            ranks.say("interrupted")
        thread.join()
    """
    here = ranks.LETTER.parents[1] / "bindings/python/tests"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(here)!r})\n" + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert sorted(done.stdout.split("\n")) == ["", "CollectiveError True", "interrupted"], done
    assert done.stderr == ""
