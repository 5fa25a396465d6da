"""Trainings whose ranks are killed (kill -9) and that begin again: at random moments, and on another number of ranks, those of MPI and Dask; in
named phases those of Spark and Ray.

    python kills.py --engine mpi --kills 50

It prints a line for each kill, and fails if the others take longer than 30 s to end, or if a model is not that of one machine.
"""

import argparse
import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import faults
import numpy as np
import pandas as pd
import ranks

import aoso

PARAMS = {"n_estimators": 20, "nthread": 1}
MOST_RANKS, MOST_KILLS, MOST_SECONDS = 4, 3, 30
PYTHONPATH = os.pathsep.join([str(Path(aoso.__file__).parents[1]), str(Path(__file__).parent)])  # of workers
CLUSTER_PARAMS = {"n_estimators": 60}  # of Spark and Ray, whose workers have a thread each


def rows():
    """Letter, the first rows."""
    return {name: values[:2500] for name, values in ranks.letter().items()}


def rank_program(folder):
    """A rank of MPI. Its checkpoint is in the folder."""
    import aoso.mpi

    collective = aoso.mpi.MPICollective(timeout=20)
    (folder / f"pid{collective.rank}").write_text(str(os.getpid()))
    train_set = aoso.Dataset(**ranks.part(rows(), collective.rank, collective.size), collective=collective, nthread=1)
    booster = aoso.train(PARAMS, train_set, checkpoint=folder / "training", checkpoint_seconds=0.2)
    if collective.rank == 0:
        (folder / "fingerprint").write_text(booster.fingerprint)


class MPI:
    """Trainings of mpiexec, each with a number of ranks other than that of the one before."""

    def __init__(self, rng):
        self.rng, self.size = rng, 0
        self.mpiexec = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")

    def train(self, folder, kills):
        """Kill this many trainings, then train to the end. Return the fingerprint and the seconds from each kill to the end."""
        seconds = []
        while True:
            self.size = int(self.rng.choice([size for size in range(1, MOST_RANKS + 1) if size != self.size]))
            for old in folder.glob("pid*"):
                old.unlink()
            with open(folder / "log", "w") as log:
                command = [self.mpiexec, "-n", str(self.size), sys.executable, __file__, "--rank", str(folder)]
                job = subprocess.Popen(command, stdout=log, stderr=log)
            try:
                if len(seconds) < kills and self.wait(job, folder):
                    victim = int(self.rng.integers(self.size))
                    os.kill(int((folder / f"pid{victim}").read_text()), signal.SIGKILL)
                    start = time.monotonic()
                    job.wait(2 * MOST_SECONDS)
                    seconds.append(time.monotonic() - start)
                    print(f"rank {victim} of {self.size} killed; the others ended after {seconds[-1]:.1f} s", flush=True)
                    continue
                job.wait(600)
            finally:
                job.kill()
            assert job.returncode == 0, (folder / "log").read_text()
            return (folder / "fingerprint").read_text(), seconds

    def wait(self, job, folder):
        """Wait for some time in a training. False: it has ended."""
        left = self.rng.uniform(0, 4)
        while job.poll() is None and left > 0:
            time.sleep(0.02)
            if len([file for file in folder.glob("pid*") if file.read_text()]) == self.size:
                left -= 0.02
        return job.poll() is None


class Dask:
    """Trainings of a Dask cluster, of another number of workers each."""

    def __init__(self, rng):
        import dask

        dask.config.set({"distributed.comm.timeouts.connect": "5s"})
        self.rng, self.client = rng, None

    def start(self, size):
        """A cluster of this many workers. Dask does not start a worker again that was killed while it started: then, a new cluster."""
        import distributed

        if self.client is not None:
            try:
                self.cluster.scale(size)
                self.client.wait_for_workers(size, timeout=20)
                return
            except TimeoutError:
                self.client.close()
                self.cluster.close()
        self.cluster = distributed.LocalCluster(n_workers=size, threads_per_worker=1, processes=True, dashboard_address=":0")
        self.client = distributed.Client(self.cluster)

    def train(self, folder, kills):
        import dask.array as da

        import aoso.dask

        size = int(self.rng.integers(2, MOST_RANKS + 1))
        self.start(size)
        data, ended, killed = rows(), threading.Event(), []

        def kill():
            for _ in range(kills):
                if ended.wait(self.rng.uniform(1, 6)):
                    break
                with contextlib.suppress(OSError, ValueError, KeyError):
                    pids = self.client.run(os.getpid)
                    os.kill(int(self.rng.choice(list(pids.values()))), signal.SIGKILL)
                    killed.append(time.monotonic())

        killer = threading.Thread(target=kill)
        killer.start()
        x, y = da.from_array(data["x"], chunks=(200, -1)), da.from_array(data["y"], chunks=200)
        attempts, train = [], aoso.dask._trained

        def attempt(*arguments):
            attempts.append(time.monotonic())
            if not self.client.nthreads():  # all were killed while they started: Dask does not start them again
                self.cluster.scale(0)
                self.cluster.scale(size)
            return train(*arguments)

        aoso.dask._trained = attempt
        try:
            found = aoso.dask.train(
                self.client, PARAMS, x, y, retries=2 * kills, checkpoint=folder / "training", checkpoint_seconds=0.2, timeout=20
            ).fingerprint
        finally:
            aoso.dask._trained = train
            ended.set()
            killer.join()
        seconds = []
        for at in killed:  # until training began again, or ended
            seconds.append(next((t for t in attempts if t > at), time.monotonic()) - at)
            print(f"a worker of {size} killed; training went on after {seconds[-1]:.1f} s", flush=True)
        return found, seconds


class Cluster:
    """Trainings of a cluster of four workers. Each loses one, in a named phase, and may be tried again once."""

    names = [f"x{j}" for j in range(16)]
    frame = pd.DataFrame(rows()["x"], columns=names).assign(label=rows()["y"], id=np.arange(len(rows()["y"])))
    victims = {"worker": faults.kill_worker}

    @classmethod
    def alone(cls):
        """The fingerprint of one machine."""
        return aoso.train({**CLUSTER_PARAMS, "nthread": 1}, aoso.Dataset(cls.frame[cls.names], cls.frame["label"])).fingerprint

    def __init__(self, rng):
        self.rng = rng
        self.kinds = itertools.cycle(itertools.product(self.victims, faults.PHASES))

    def train(self, folder, kills):
        victim, phase = next(self.kinds)
        fault = faults.Fault.drawn(self.rng, MOST_RANKS, phase, str(folder), self.victims[victim])
        found, end = self.fit(fault), time.time()
        assert fault.struck, f"no {victim} was killed in the phase {phase}"
        again, end = (at - fault.struck for at in (fault.again, end))
        print(f"{victim} of rank {fault.rank} killed, {phase}; training began again after {again:.1f} s and ended after {end:.1f} s", flush=True)
        return found, [end]


class Spark(Cluster):
    victims = {**Cluster.victims, "executor": faults.kill_executor}

    def __init__(self, rng):
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.executor.memory": "600m",
            "spark.stage.maxConsecutiveAttempts": "2",
            "spark.executorEnv.PYTHONPATH": PYTHONPATH,
        }
        self.spark = SparkSession.builder.master(f"local-cluster[{MOST_RANKS},1,800]").config(map=settings).getOrCreate()
        self.spark.sparkContext.setLogLevel("OFF")
        super().__init__(rng)

    def fit(self, fault):
        from aoso.spark import SparkAOSOClassifier, _slots

        while _slots(self.spark) < MOST_RANKS:  # Spark starts an executor again that was killed
            time.sleep(0.2)
        classifier = SparkAOSOClassifier(
            features_col=self.names, row_id_col="id", num_workers=MOST_RANKS, timeout=60, checkpoint=f"{fault.folder}/training", **CLUSTER_PARAMS
        )
        with faults.in_spark(fault):
            return classifier.fit(self.spark.createDataFrame(self.frame)).get_booster().fingerprint


class Ray(Cluster):
    def __init__(self, rng):
        import ray

        ray.init(num_cpus=MOST_RANKS + 1, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": PYTHONPATH}})
        super().__init__(rng)

    def fit(self, fault):
        import ray.data
        from ray.train import FailureConfig, RunConfig, ScalingConfig

        from aoso.ray import AOSOConfig, AOSOTrainer, get_booster

        config = {"label_column": "label", "row_id_column": "id", "params": CLUSTER_PARAMS, "checkpoint": f"{fault.folder}/training"}
        trainer = AOSOTrainer(
            faults.ray_loop(fault),
            train_loop_config=config,
            aoso_config=AOSOConfig(timeout=60),
            scaling_config=ScalingConfig(num_workers=MOST_RANKS),
            run_config=RunConfig(failure_config=FailureConfig(max_failures=1), storage_path=fault.folder),
            datasets={"train": ray.data.from_pandas(self.frame)},
        )
        return get_booster(trainer.fit().checkpoint).fingerprint


def main(engine, kills, seed):
    rng = np.random.default_rng(seed)
    trainings = {"mpi": MPI, "dask": Dask, "spark": Spark, "ray": Ray}[engine](rng)
    clustered = isinstance(trainings, Cluster)
    want = trainings.alone() if clustered else aoso.train(PARAMS, aoso.Dataset(**rows())).fingerprint
    most = 20 * MOST_SECONDS if clustered else MOST_SECONDS
    seconds = []
    while len(seconds) < kills:
        with tempfile.TemporaryDirectory() as folder:
            got, some = trainings.train(Path(folder), min(int(rng.integers(1, MOST_KILLS + 1)), kills - len(seconds)))
        seconds += some
        assert got == want, f"the model is {got}; that of one machine is {want}"
        assert max(some, default=0) < most
    print(f"{len(seconds)} kills; at most {max(seconds):.1f} s to the end; all models are that of one machine")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["mpi", "dask", "spark", "ray"], default="mpi")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rank", type=Path)
    given = parser.parse_args()
    if given.rank:
        rank_program(given.rank)
    else:
        main(given.engine, given.kills, given.seed)
