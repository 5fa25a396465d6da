"""The paper's significance test. Numbers of errors are binomial; the difference of two error rates is nearly normal."""

from __future__ import annotations

import math

from scipy.stats import ttest_ind_from_stats

LEVEL = 0.05


def p_value(ours: int, theirs: int, rows: int, alternative: str = "two-sided") -> float:
    """The probability of a difference at least this large if the true error rates are equal."""
    a, b = ours / rows, theirs / rows
    test = ttest_ind_from_stats(
        a, math.sqrt(a * (1 - a)), rows, b, math.sqrt(b * (1 - b)), rows, equal_var=False, alternative=alternative
    )
    return float(test.pvalue)


def verdict(ours: int, theirs: int, rows: int) -> str:
    """Whether the difference is significant, in words."""
    if p_value(ours, theirs, rows) >= LEVEL:
        return "equal"
    return "**fewer**" if ours < theirs else "**more**"
