"""The paper's test: errors are taken to be binomial, and their shares to differ as normal variables do."""

from __future__ import annotations

import math

from scipy.stats import ttest_ind_from_stats

LEVEL = 0.05


def p_value(ours: int, theirs: int, rows: int, alternative: str = "two-sided") -> float:
    """The probability of so different numbers of errors if the true shares are equal."""
    a, b = ours / rows, theirs / rows
    test = ttest_ind_from_stats(
        a, math.sqrt(a * (1 - a)), rows, b, math.sqrt(b * (1 - b)), rows, equal_var=False, alternative=alternative
    )
    return float(test.pvalue)


def verdict(ours: int, theirs: int, rows: int) -> str:
    """In words: whether the difference is more than chance explains."""
    if p_value(ours, theirs, rows) >= LEVEL:
        return "equal"
    return "**fewer**" if ours < theirs else "**more**"
