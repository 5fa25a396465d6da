"""Training and prediction with Ray, over Ray Data.

:class:`AOSOTrainer` is a trainer of Ray Train::

    import ray.data
    from ray.train import ScalingConfig
    from aoso.ray import AOSOTrainer, get_booster, predict

    rows = ray.data.read_parquet("rows")
    result = AOSOTrainer(
        train_loop_config={"label_column": "class", "params": {"n_estimators": 500}},
        scaling_config=ScalingConfig(num_workers=4),
        datasets={"train": rows},
    ).fit()
    predicted = predict(rows, get_booster(result.checkpoint))

Each worker has some of the rows. The model is the same, to the last bit, for any blocks and number of workers. The workers connect by TCP:
see :mod:`aoso.tcp`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .booster import Booster
from .collective import Collective
from .errors import AosoError, ArgumentError, CollectiveError
from .tcp import TCPCollective, _bracketed

try:
    import ray
    import ray.train
    from ray.train.backend import Backend, BackendConfig
    from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

    from . import _ray_worker
    from ._watchdog import watched
except ImportError as e:
    raise ImportError(f"aoso.ray needs Ray 2.51 or later with Ray Data and Ray Train: pip install 'aoso[ray]' ({e})") from e

__all__ = ["AOSOConfig", "AOSOTrainer", "get_booster", "get_collective", "predict", "report", "train_loop_per_worker"]

_MODEL = "model.aoso"  # the file in a checkpoint


class _Worker:
    """What a worker knows of the others."""

    address = secret = ""  # of rank 0
    listening: TCPCollective | None = None  # rank 0
    collective: TCPCollective | None = None  # during training
    asked = False  # for the collective


@dataclasses.dataclass
class AOSOConfig(BackendConfig):  # type: ignore[misc]
    """How the workers connect.

    Parameters
    ----------
    timeout : float, default 600
        Seconds that a worker waits for the others.
    """

    timeout: float = 600

    @property
    def backend_cls(self) -> Any:
        """The backend of Ray Train."""
        return _Backend

    @property
    def train_func_context(self) -> Any:
        """The context of training in a worker, in which it is connected."""
        timeout = self.timeout
        return lambda: _connected(timeout)

    def to_dict(self) -> dict[str, Any]:
        """The settings, as Ray shows them."""
        return {"timeout": self.timeout}


class _Backend(Backend):  # type: ignore[misc]
    def on_training_start(self, worker_group: Any, backend_config: AOSOConfig) -> None:
        """Have rank 0 listen, and tell all where."""
        secret = secrets.token_hex()
        found = worker_group.execute(_listen, len(worker_group), secret, backend_config.timeout)
        address = next(address for address in found if address)
        worker_group.execute(_tell, address, secret)


def _listen(size: int, secret: str, timeout: float) -> str:
    if ray.train.get_context().get_world_rank() != 0:
        return ""
    _Worker.listening = TCPCollective(0, size, secret=secret, timeout=timeout)
    return f"{_bracketed(ray.util.get_node_ip_address())}:{_Worker.listening.port}"


def _tell(address: str, secret: str) -> None:
    _Worker.address, _Worker.secret = address, secret


@contextlib.contextmanager
def _connected(timeout: float) -> Iterator[None]:
    """Connect this worker with the others, until training ends."""
    context = ray.train.get_context()
    rank, size = context.get_world_rank(), context.get_world_size()
    with watched(timeout):
        collective = _Worker.listening or TCPCollective(rank, size, secret=_Worker.secret, timeout=timeout)
        collective.connect(_Worker.address)
        _Worker.listening, _Worker.collective, _Worker.asked = None, collective, False
        try:
            yield
            if size > 1 and not _Worker.asked:
                text = f"train_loop_per_worker has not called aoso.ray.get_collective, so {size} workers have trained on their own rows alone"
                raise CollectiveError(f"{text}; allowed: with Dataset(..., collective=aoso.ray.get_collective())")
        except BaseException as e:
            collective.abort(f"rank {rank}: {type(e).__name__}: {e}")
            raise
        finally:
            _Worker.collective = None


def get_collective() -> Collective:
    """The workers of an :class:`AOSOTrainer`, within its training function. Make each :class:`aoso.Dataset` with it."""
    if _Worker.collective is None:
        raise CollectiveError("this process is not connected; allowed: within the train_loop_per_worker of an aoso.ray.AOSOTrainer")
    size = ray.train.get_context().get_world_size()
    if _Worker.collective.size != size:
        raise CollectiveError(f"this worker is connected with {_Worker.collective.size} ranks; allowed: all {size} workers of the trainer")
    _Worker.asked = True
    return _Worker.collective


def train_loop_per_worker(config: dict[str, Any]) -> None:
    """Train on the dataset "train" of an :class:`AOSOTrainer`, and report the model. It uses "valid", if there is one, as validation set.

    ``config`` is its ``train_loop_config``, with the arguments of :class:`AOSOTrainer`.
    """
    collective, train, valid = get_collective(), ray.train.get_dataset_shard("train"), None
    with contextlib.suppress(KeyError):
        valid = ray.train.get_dataset_shard("valid")
    cpus = ray.get_runtime_context().get_assigned_resources().get("CPU", 1)
    report(*_ray_worker.train_rank(_ray_worker.settings(config), collective, train, valid, max(int(cpus), 1)))


def report(booster: Booster, metrics: dict[str, Any] | None = None) -> None:
    """Report a booster as a checkpoint of Ray Train, which :func:`get_booster` reads, with metrics. All workers call it at the same time."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = None
        if ray.train.get_context().get_world_rank() == 0:
            booster.save(Path(folder) / _MODEL)
            checkpoint = ray.train.Checkpoint.from_directory(folder)
        ray.train.report(metrics or {}, checkpoint=checkpoint)


def get_booster(checkpoint: Any) -> Booster:
    """The model in a checkpoint, such as ``result.checkpoint``."""
    if not isinstance(checkpoint, ray.train.Checkpoint):
        raise ArgumentError(f"checkpoint is a {type(checkpoint).__name__}; allowed: a ray.train.Checkpoint, such as result.checkpoint")
    with checkpoint.as_directory() as folder:
        return Booster.load(Path(folder) / _MODEL)


class _AllRows(ray.train.DataConfig):  # type: ignore[misc]
    """Splits all rows. The splits of Ray's own are of equal length, for which it drops rows."""

    def configure(self, datasets: dict[str, Any], world_size: int, worker_handles: Any, worker_node_ids: Any, **_: Any) -> list[dict[str, Any]]:
        """The rows of each worker."""
        shards: list[dict[str, Any]] = [{} for _ in range(world_size)]
        for name, dataset in datasets.items():
            for mine, split in zip(shards, dataset.streaming_split(world_size, equal=False, locality_hints=worker_node_ids)):
                mine[name] = split
        return shards


class AOSOTrainer(DataParallelTrainer):  # type: ignore[misc]
    """The trainer of Ray Train that trains a :class:`aoso.Booster`.

    Parameters
    ----------
    train_loop_per_worker : callable, optional
        What each worker runs: by default :func:`aoso.ray.train_loop_per_worker`. One of your own gets its rows by
        ``ray.train.get_dataset_shard``, passes :func:`get_collective` to :class:`aoso.Dataset`, and calls :func:`report`.
    train_loop_config : dict
        The argument of ``train_loop_per_worker``. That of the default function has ``label_column`` and, if you like, ``params`` (the parameters of
        :class:`aoso.AOSOClassifier`, also by the names of other libraries), ``feature_columns`` (a list; or the name of a column of
        arrays; by default all other columns), ``weight_column``, ``row_id_column`` (whole numbers that are all different; by default, ids are
        hashes of the rows) and ``checkpoint`` (a file that keeps how far training has come, under a path that all workers reach).
    aoso_config : AOSOConfig, optional
        How the workers connect.
    scaling_config, run_config : optional
        As Ray Train has them. Each worker has as many threads as CPUs.
    datasets : dict of str to ray.data.Dataset
        "train", and "valid" to validate on. Each worker gets some of the rows of each, and none is dropped.
    """

    def __init__(
        self,
        train_loop_per_worker: Callable[..., Any] | None = None,
        *,
        train_loop_config: dict[str, Any] | None = None,
        aoso_config: AOSOConfig | None = None,
        scaling_config: Any = None,
        run_config: Any = None,
        datasets: dict[str, Any] | None = None,
    ) -> None:
        if train_loop_per_worker is None:
            _ray_worker.settings(train_loop_config or {})
            names = list(datasets or {})
            if "train" not in names or not {*names} <= {"train", "valid"}:
                raise ArgumentError(f"datasets has {names}; allowed: 'train', and 'valid' to validate on")
        config = aoso_config or AOSOConfig()
        if not config.timeout > 0:
            raise ArgumentError(f"timeout is {config.timeout!r}; allowed: above 0")
        super().__init__(
            train_loop_per_worker or globals()["train_loop_per_worker"],
            train_loop_config=train_loop_config,
            backend_config=config,
            scaling_config=scaling_config,
            run_config=run_config,
            datasets=datasets,
            dataset_config=_AllRows(),
        )
        if self.running_in_local_mode:
            raise ArgumentError("num_workers is 0; allowed: at least 1")

    def fit(self) -> Any:
        """Train. Return the result of Ray Train; :func:`get_booster` reads the model in its checkpoint."""
        try:
            return super().fit()
        except ray.train.TrainingFailedError as e:
            raise _cause(e) or e from e


def _cause(failed: Any) -> AosoError | None:
    """The error of a worker that ended the training: of its data or parameters, or that a worker is lost."""
    failures: dict[int, Exception] = getattr(failed, "worker_failures", {})
    found = {rank: e for rank, e in failures.items() if isinstance(e, AosoError)}
    own = {rank: e for rank, e in found.items() if " gave up: " not in str(e)}
    for rank, e in (own or found).items():
        return type(e)(f"worker {rank}: {e}")
    if failures and all(type(e).__name__.startswith("WorkerHealthCheck") for e in failures.values()):
        ended = f"worker {', '.join(map(str, failures))} has ended (it may have needed more memory than its node has)"
        return CollectiveError(f"{ended}, or was stopped for too long")
    return None


def predict(
    rows: Any,
    booster: Booster,
    *,
    feature_columns: str | None = None,
    prediction: str = "prediction",
    probability: str | None = "probability",
    **options: Any,
) -> Any:
    """Add the predicted classes to a dataset of Ray Data.

    Parameters
    ----------
    rows : ray.data.Dataset
        It has the columns of the features, also in another order; other columns stay.
    booster : Booster
        The model.
    feature_columns : str, optional
        The column of arrays, if the model was trained on one.
    prediction : str
        The new column of the predicted classes.
    probability : str or None
        The new column of arrays of probabilities, in the order of ``booster.classes``; None: none.
    **options
        Options of ``map_batches``, such as ``batch_size`` and ``concurrency``.
    """
    if not isinstance(booster, Booster):
        raise ArgumentError(f"booster is a {type(booster).__name__}; allowed: a Booster, such as get_booster(result.checkpoint)")
    model = ray.put(booster.to_bytes())
    arguments = {"model": model, "features": feature_columns, "prediction": prediction, "probability": probability}
    return rows.map_batches(_ray_worker.Predictor, fn_constructor_kwargs=arguments, batch_format="pyarrow", **options)
