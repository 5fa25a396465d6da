"""Exceptions of signal handlers: none is lost, and none leaves the library with a function that is gone."""

import ctypes
import gc
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import aoso
from aoso import _input, _living

# Interrupts itself, more than once, in a function that the library calls.
INTERRUPTED = """
import os, signal, sys, time
import numpy as np
import aoso

x, y = np.random.default_rng(0).normal(size=(2000, 5)), np.arange(2000) % 4
train_set = aoso.Dataset(x, y)
calls = 0


def called():
    global calls
    calls += 1
    if calls == 3:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.02)


def objective(scores, dataset):
    called()
    return scores - np.eye(4)[y], np.ones_like(scores)


def evaluate():
    booster = aoso.train({"n_estimators": 40, "max_leaves": 4, "calibration": "none"}, train_set)
    original = aoso.booster._capi.evaluate_raw

    def counted(*arguments):
        called()
        return original(*arguments)

    aoso.booster._capi.evaluate_raw = counted
    booster.evaluate(x, y, every=1)


runs = {
    "objective": lambda: aoso.train({"n_estimators": 40}, train_set, objective=objective),
    "evaluate": evaluate,
}
try:
    runs[sys.argv[1]]()
    print("returned")
except KeyboardInterrupt:
    count = calls
    time.sleep(0.2)
    print("interrupted" if calls == count else "called afterwards")
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("run", ["objective", "evaluate"])
def test_ctrl_c_while_the_library_calls_python(run):
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED, run], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


class Alarm(TimeoutError):
    pass


@pytest.fixture
def alarmed():
    """Makes SIGALRM raise Alarm. Gives the exceptions that Python could not raise."""
    lost = []

    def ring(number, frame):
        raise Alarm

    before, hook = signal.signal(signal.SIGALRM, ring), sys.unraisablehook
    sys.unraisablehook = lambda unraisable: lost.append(unraisable.exc_value)
    gc.collect()
    gc.freeze()  # objects of other tests, whose finalizers would lose an exception
    try:
        yield lost
    finally:
        gc.unfreeze()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook


def test_a_signal_while_an_object_is_freed(alarmed):
    class Owner:
        pass

    owner = Owner()
    _living.free_with(owner, ctypes.CDLL(None)["raise"], ctypes.c_int(signal.SIGALRM))
    with pytest.raises(Alarm):
        del owner
        len("")  # a call, at which Python runs the handler
    assert not alarmed


@pytest.mark.parametrize("dtype", ["f8", [("row", "i8"), ("suspected", "i1")]])
@pytest.mark.parametrize("rows", [0, 3])
def test_the_address_of_an_array_needs_no_description(dtype, rows):
    array, called = np.zeros(rows, dtype), []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        at = _input.address(array)
    finally:
        sys.setprofile(None)
    assert "address" in called and "_array_descr" not in called and at == array.ctypes.data


def test_objects_that_are_gone_are_forgotten(small):
    for _ in range(300):
        aoso.Dataset(*small)
    assert len(_living._owners._references) < 250


def objective(scores, dataset):
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p - np.eye(p.shape[1])[dataset.get_label()], p * (1 - p)


@pytest.fixture(scope="module")
def runs(small):
    x, y = np.tile(small[0], (4, 1)), np.tile(small[1], 4)
    train_set, params = aoso.Dataset(x, y), {"n_estimators": 8, "max_leaves": 4, "nthread": 2}
    booster = aoso.train(params, train_set)
    sklearn = pytest.importorskip("aoso.sklearn")
    return {
        "Dataset": lambda: aoso.Dataset(x, y),
        "from_blocks": lambda: aoso.Dataset.from_blocks(lambda: ((x[k::3], y[k::3]) for k in range(3))),
        "train": lambda: aoso.train(params, train_set, valid=(x, y), callbacks=[lambda progress: progress.booster() is None]),
        "objective": lambda: aoso.train(params, train_set, valid=(x, y), objective=objective),
        "feval": lambda: aoso.train(params, train_set, valid=(x, y), feval=lambda p, d: ("mean", p.mean(), True)),
        "cv": lambda: aoso.cv(params, x, y, folds=3),
        "tune": lambda: aoso.tune(params, train_set, trials=2),
        "fit": lambda: sklearn.AOSOClassifier(**params).fit(x, y),
        "predict": lambda: booster.predict_proba(x),
        "shap": lambda: booster.shap(x),
        "shap_sparse": lambda: booster.shap(x, top=2),
        "staged": lambda: list(booster.staged_proba(x)),
        "evaluate": lambda: booster.evaluate(x, y, every=1),
        "export": lambda: booster.export("c"),
        "truncated": lambda: booster.truncated(4).calibrated(x, y),
    }


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "run", ["Dataset", "from_blocks", "train", "objective", "feval", "cv", "tune", "fit", "predict", "shap", "staged", "evaluate", "export", "truncated"]
)
def test_no_exception_of_a_handler_is_lost(run, runs, alarmed):
    runs[run]()
    begun = time.perf_counter()
    runs[run]()
    seconds = time.perf_counter() - begun
    drawn = random.Random(run)
    for _ in range(40):
        rung = False

        def ring(number, frame):
            nonlocal rung
            rung = True
            raise Alarm

        signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, max(1e-5, seconds * drawn.random()))
            runs[run]()
            signal.setitimer(signal.ITIMER_REAL, 0)
            time.sleep(0.001)  # an alarm that is on its way rings here
            returned = True
        except Alarm:
            returned = False
        assert not (returned and rung) and not alarmed, (returned, rung, alarmed)
