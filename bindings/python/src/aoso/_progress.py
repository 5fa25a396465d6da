"""What a training says of itself: while it is under way, and at the end."""

from __future__ import annotations

from typing import NamedTuple


class Evaluation(NamedTuple):
    """The metrics of a model on a data set: mean log loss and error rate."""

    logloss: float
    error: float


class Step(NamedTuple):
    """The state of training after an iteration.

    ``train_loss`` is the mean log loss of the training rows; ``valid`` and ``others`` are of the validation sets. All are of
    raw scores, and None or empty if there was no evaluation.
    """

    phase: str
    iteration: int
    trees: int
    max_trees: int
    best: int
    seconds: float
    stopped_by: str
    train_loss: float | None
    valid: Evaluation | None
    others: tuple[Evaluation, ...] = ()


class Search(NamedTuple):
    """The state of a search for parameters after an iteration.

    Attributes
    ----------
    phase : {"search", "train"}
        "search" tries parameters. "train" trains the model itself, on all rows.
    trial : int
        The trial in training, from 1; 0 in phase "train".
    rung : int
        The step of successive halving that it is to reach, from 1.
    iteration : int
        Iterations of the trial, or of the model.
    trials : int
        Trials begun so far.
    seconds : float
        Since the search began.
    refined_loss : float
        That of the best trial; NaN if none is complete.
    errors : int
        Of the best trial.
    stopped_by : str
        Why this is the last iteration; "": it is not.
    """

    phase: str
    trial: int
    rung: int
    iteration: int
    trials: int
    seconds: float
    refined_loss: float
    errors: int
    stopped_by: str


class Result(NamedTuple):
    """The outcome of a training.

    Attributes
    ----------
    phase : {"train", "holdout", "search"}
        The phase that training ended in. If it is not "train", the model has not seen the rows held out.
    iterations : int
        Iterations in this phase.
    best_iteration : int
        The iteration that the model ends with.
    stopped_by : str
        Why training ended: "trees", "stop_loss", "early_stopping", "no_split" or "time_limit"; "" if a callback ended it.
    train_loss : float
        Mean log loss of the training rows after the last iteration, of raw scores.
    seconds : float
    threads : int
    valid : Evaluation or None
        The model on the validation set.
    held_out : Evaluation or None
        Models of the same kind on rows that they were trained without, which tells what to expect of new data; None if no
        rows were held out.
    held_out_rows : int
        Their number.
    """

    phase: str
    iterations: int
    best_iteration: int
    stopped_by: str
    train_loss: float
    seconds: float
    threads: int
    valid: Evaluation | None
    held_out: Evaluation | None
    held_out_rows: int
