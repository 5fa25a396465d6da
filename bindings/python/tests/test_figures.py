"""What can be measured on a busy machine; figures.py measures the rest."""

import subprocess
import sys
import textwrap


def run(program):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True).stdout


def test_a_column_major_matrix_enters_without_a_copy():
    program = """
        import resource
        import numpy as np
        import aoso
        np.random.default_rng()  # is loaded
        before = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        x = np.empty((128, 1 << 19), np.float32)  # 256 MB
        np.random.default_rng(0).random(out=x, dtype=np.float32)
        y = (x[0] > 0.5).astype(np.int32)
        dataset = aoso.Dataset(x.T, y)
        peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print((peak - before - dataset.nbytes) / x.nbytes)
    """
    assert float(run(program)) <= 1.35
