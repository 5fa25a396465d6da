"""Ranks of MPI that are killed. `make kills` kills more of them, and workers of Dask."""

import kills
import pytest


@pytest.mark.long
def test_trainings_go_on(capsys):
    pytest.importorskip("mpi4py")
    kills.main("mpi", 3, seed=3)
    assert "3 kills" in capsys.readouterr().out
