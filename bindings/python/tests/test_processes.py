"""Threads, signals, fork and the other ways to start a process."""

import multiprocessing
import os
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
    return aoso.train({"trees": 10, "threads": 2}, aoso.Dataset(X, Y)).fingerprint


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
    x, y = rng.normal(size=(100_000, 20)), rng.integers(0, 60, size=100_000)
    dataset = aoso.Dataset(x, y, threads=1)
    booster = aoso.train({"trees": 100}, dataset)
    many = np.repeat(x, 4, axis=0)
    # One call of the library each, which keeps nobody waiting to its end.
    works = {
        "train": lambda: aoso.train({"trees": 1, "leaves": 10_000, "threads": 1}, dataset),
        "predict": lambda: booster.predict_proba(many, threads=1),
        "dataset": lambda: aoso.Dataset(x, y, threads=1, sample_rows=-1),
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
    booster = aoso.train({"trees": 1000}, train_set)
    print("ready", flush=True)
    try:
        if how == "plain":
            aoso.train({"trees": 10**9, "stop_loss": 0}, train_set)
        elif how == "callback":
            aoso.train({"trees": 10**9, "stop_loss": 0}, train_set, callbacks=[lambda progress: None])
        elif how == "cv":
            aoso.cv({"trees": 10**9, "stop_loss": 0}, x, y, folds=2)
        elif how == "staged":
            while True:
                booster.evaluate(x, y, every=1)
        else:
            aoso.AOSOClassifier(trees=10**9, stop_loss=0, n_jobs=2).fit(x, y, eval_set=(x, y))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    booster = aoso.train({"trees": 3}, train_set)
    assert booster.predict(x).shape == (20_000,)
    try:
        time.sleep(0.01)
    except KeyboardInterrupt:
        print("interrupted twice", flush=True)
    print("healthy", flush=True)
"""


@pytest.mark.parametrize("how", ["plain", "callback", "cv", "estimator", "staged"])
def test_ctrl_c(how):
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED), how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    answer = process.stdout.readline()
    seconds = time.perf_counter() - start
    out, err = process.communicate(timeout=60)
    assert (answer, out, err, process.returncode) == ("interrupted\n", "healthy\n", "", 0)
    assert seconds < 2  # an iteration takes some milliseconds


# -------------------------------------------------------------------- processes


def call_in_fork(queue):
    messages = []
    for call in (trained, aoso.build_info, lambda: MODEL.predict(X), lambda: MODEL.fingerprint):
        try:
            messages.append(repr(call()))
        except aoso.AosoError as e:
            messages.append(f"{type(e).__name__}: {e}")
    queue.put(messages)


def test_a_forked_child_gets_the_clear_error(wanted):
    global MODEL
    MODEL = aoso.train({"trees": 2}, aoso.Dataset(X, Y))
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


def test_a_child_forked_before_the_library_is_loaded_can_use_it(wanted):
    program = """
        import os, sys
        import numpy as np
        import aoso
        if (child := os.fork()) == 0:
            x = np.arange(20.0).reshape(-1, 1)
            aoso.train({"trees": 2}, aoso.Dataset(x, x[:, 0] > 5))
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
    booster = aoso.train({"trees": 10}, aoso.Dataset(X, Y))
    with joblib.parallel_backend("loky", n_jobs=2):
        assert set(joblib.Parallel()(joblib.delayed(trained)(i) for i in range(4))) == {wanted}
        results = joblib.Parallel()(joblib.delayed(predicted)(booster) for _ in range(2))
    assert all(labels == booster.predict(X).tolist() and pid != os.getpid() for pid, labels in results)
