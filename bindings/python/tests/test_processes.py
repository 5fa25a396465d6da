"""Threads, signals, fork and the other ways to start a process."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pytest

import aoso

X = np.random.default_rng(0).normal(size=(500, 4))
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)


def trained(_=None):
    return aoso.train({"n_estimators": 10, "nthread": 2}, aoso.Dataset(X, Y)).fingerprint


@pytest.fixture(scope="module")
def wanted():
    return trained()  # by now the library is loaded here


# -------------------------------------------------------------------------- GIL


def longest_pause_beside(work):
    """The longest time that this thread was kept from running while another works, and the time of the work."""
    thread = threading.Thread(target=work)
    start = last = time.perf_counter()
    longest = 0.0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest, last - start


def test_the_gil_is_free_while_the_library_works():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200_000, 20)), rng.integers(0, 60, size=200_000)
    dataset = aoso.Dataset(x, y, nthread=1)
    booster = aoso.train({"preset": "paper", "n_estimators": 30}, dataset)
    many = np.repeat(x, 2, axis=0)
    # One call of the library each, which keeps nobody waiting to its end.
    works = {
        "train": lambda: aoso.train({"n_estimators": 1, "max_leaves": 10_000, "calibration": "none", "nthread": 1}, dataset),
        "predict": lambda: booster.predict_proba(many, nthread=1),
        "dataset": lambda: aoso.Dataset(x, y, nthread=1, sample_rows=-1).construct(),
    }
    for name, work in works.items():
        longest, whole = longest_pause_beside(work)
        print(f"{name}: {whole:.3f} s, another thread waited for {longest:.3f} s at most")
        assert whole > 0.1, f"{name} took {whole:.3f} s: too little to tell"
        assert longest < whole / 2, f"{name}: another thread could not run for {longest:.3f} s of {whole:.3f} s"


def test_trainings_in_many_threads(wanted):
    results = joblib.Parallel(n_jobs=6, backend="threading")(joblib.delayed(trained)(i) for i in range(24))
    assert set(results) == {wanted}


# ---------------------------------------------------------------------- signals

INTERRUPTED = """
    import signal, sys, time
    import numpy as np
    import aoso
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20_000, 10)), rng.integers(0, 10, 20_000)
    train_set = aoso.Dataset(x, y)
    how = sys.argv[1]
    if how == "staged":
        booster = aoso.train({"preset": "paper", "n_estimators": 200}, train_set)
    elif how == "estimator":
        # This imports what fit needs: Python exits with SIGINT if the signal comes within an exec().
        aoso.AOSOClassifier(n_estimators=2, calibration="none").fit(x, y)
    print("ready", flush=True)
    try:
        if how == "plain":
            aoso.train({"n_estimators": 10**9, "stop_loss": 0}, train_set)
        elif how == "callback":
            aoso.train({"n_estimators": 10**9, "stop_loss": 0}, train_set, callbacks=[lambda progress: None])
        elif how == "cv":
            aoso.cv({"n_estimators": 10**9, "stop_loss": 0}, x, y, folds=2)
        elif how == "staged":
            while True:
                booster.evaluate(x, y, every=1)
        else:
            aoso.AOSOClassifier(n_estimators=10**9, stop_loss=0, n_jobs=2).fit(x, y, eval_set=(x, y))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    booster = aoso.train({"preset": "paper", "n_estimators": 3}, train_set)
    assert booster.predict(x).shape == (20_000,)
    try:
        time.sleep(0.01)
    except KeyboardInterrupt:
        print("interrupted twice", flush=True)
    print("healthy", flush=True)
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("how", ["plain", "callback", "cv", "estimator", "staged"])
def test_ctrl_c(how):
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED), how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    answer = process.stdout.readline()
    seconds = time.perf_counter() - start
    out, err = process.communicate(timeout=60)
    assert (answer, out, err, process.returncode) == ("interrupted\n", "healthy\n", "", 0)
    assert seconds < 2  # an iteration takes some milliseconds


# ------------------------------------------------------------------------- exit

EXIT = """
    import atexit, builtins, threading, time
    import numpy as np
    import aoso

    class Late:
        def __del__(self):
            print(booster.predict(x[:2]).shape, "by __del__", flush=True)

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20_000, 10)), rng.integers(0, 10, 20_000)
    train_set = aoso.Dataset(x, y)
    booster = aoso.train({"preset": "paper", "n_estimators": 30}, train_set)
    atexit.register(lambda: print(booster.predict(x[:2]).shape, "by atexit", flush=True))
    builtins.late, builtins.booster, builtins.x = Late(), booster, x

    def forever(work):
        while True:
            work()

    works = [lambda: booster.predict_proba(x), lambda: booster.evaluate(x, y, every=1), lambda: next(booster.staged_raw(x))]
    for work in [*works, lambda: aoso.train({"n_estimators": 10**9, "stop_loss": 0}, train_set, callbacks=[lambda progress: None])]:
        threading.Thread(target=forever, args=(work,), daemon=True).start()
    time.sleep(0.3)
"""


def test_the_end_of_a_process_in_which_daemon_threads_work():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(EXIT)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("(2,) by atexit\n(2,) by __del__\n", "", 0)


# ----------------------------------------------------------------------- threads


def test_many_threads_train_predict_copy_and_free(wanted):
    """Threads that change at every turn, and one model that most of them use."""
    booster = aoso.train({"n_estimators": 10, "nthread": 2}, aoso.Dataset(X, Y))
    train_set, raw = aoso.Dataset(X, Y), booster.predict_raw(X)
    faults, end = [], time.monotonic() + 1.5

    def interrupted():
        with pytest.raises(ZeroDivisionError):
            aoso.train({"n_estimators": 5}, train_set, callbacks=[lambda progress: 0 / (progress.iteration < 3)])

    def stages():
        np.testing.assert_array_equal(next(booster.staged_raw(X, every=10)), raw)

    works = {
        "predict": lambda: np.testing.assert_array_equal(booster.predict_raw(X, nthread=3), raw),
        "train": lambda: np.testing.assert_equal(trained(), wanted),
        "callback that raises": interrupted,
        "stages, left": stages,
        "pickle": lambda: np.testing.assert_array_equal(pickle.loads(pickle.dumps(booster)).predict_raw(X), raw),
        "copy": lambda: np.testing.assert_equal(copy.deepcopy(booster).fingerprint, wanted),
        "row": lambda: np.testing.assert_array_equal(booster.row_predictor().predict_raw(X[7]), raw[7]),
        "others": lambda: aoso.merge([booster.truncated(3), booster.calibrated(X, Y)]).refit(X, Y),
    }

    def work(name):
        try:
            while time.monotonic() < end:
                works[name]()
        except BaseException as e:
            faults.append((name, e))

    threads = [threading.Thread(target=work, args=(name,)) for name in works for _ in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(threads) == 64 and not faults


# -------------------------------------------------------------------- processes


def call_in_fork(queue):
    messages = []
    for call in (trained, aoso.build_info, lambda: MODEL.shap(X), lambda: MODEL.fingerprint):
        try:
            messages.append(repr(call()))
        except aoso.AosoError as e:
            messages.append(f"{type(e).__name__}: {e}")
    queue.put(messages)


def test_a_forked_child_gets_the_clear_error(wanted):
    global MODEL
    MODEL = aoso.train({"n_estimators": 2}, aoso.Dataset(X, Y))
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=call_in_fork, args=(queue,))
    start = time.perf_counter()
    child.start()
    messages = queue.get()
    child.join(10)
    assert child.exitcode == 0 and time.perf_counter() - start < 2
    for message in messages:
        assert message.startswith("ForkError: ") and "fork" in message and "spawn" in message, message
    assert trained() == wanted  # the parent is as before


def test_joblib_with_forked_children_predicts(wanted):
    """The model is pickled in the parent and unpickled in the children."""
    program = """
        import joblib, numpy as np, aoso
        x = np.arange(20.0).reshape(-1, 1)
        booster = aoso.train({"n_estimators": 2}, aoso.Dataset(x, x[:, 0] > 5))
        results = joblib.Parallel(2, backend="multiprocessing")(joblib.delayed(booster.predict_proba)(x) for _ in range(4))
        print(all((result == booster.predict_proba(x)).all() for result in results))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=30)
    assert done.stdout == "True\n", done.stderr


def test_a_child_forked_before_the_library_is_loaded_can_use_it(wanted):
    program = """
        import os, sys
        import numpy as np
        import aoso
        if (child := os.fork()) == 0:
            x = np.arange(20.0).reshape(-1, 1)
            aoso.train({"n_estimators": 2}, aoso.Dataset(x, x[:, 0] > 5))
            os._exit(0)
        sys.exit(os.waitpid(child, 0)[1])
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=60)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_spawn_and_forkserver(wanted, method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert set(pool.map(trained, range(4))) == {wanted}


def predicted(booster):
    return os.getpid(), booster.predict(X).tolist()


def test_loky(wanted):
    booster = aoso.train({"n_estimators": 10}, aoso.Dataset(X, Y))
    with joblib.parallel_backend("loky", n_jobs=2):
        assert set(joblib.Parallel()(joblib.delayed(trained)(i) for i in range(4))) == {wanted}
        results = joblib.Parallel()(joblib.delayed(predicted)(booster) for _ in range(2))
    assert all(labels == booster.predict(X).tolist() and pid != os.getpid() for pid, labels in results)
