"""scikit-learn's own checks of estimators, in whatever release is installed."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from aoso import AOSOClassifier

ESTIMATORS = [
    AOSOClassifier(),
    AOSOClassifier(preset="fast"),
    AOSOClassifier(preset="paper", trees=50),
    AOSOClassifier(preset="paper", trees=50, leaf="pair", pairs=1, trim=0),
    AOSOClassifier(preset="paper", trees=50, method="abc"),
    AOSOClassifier(preset="paper", trees=50, method="logitboost"),
]


def reason_to_fail(estimator, check):
    if estimator.method == "logitboost" and check.startswith("check_sample_weight_equivalence_on"):
        return "two classes tie for two rows that have no weight; the last bit of sums over weights decides"
    return None


@parametrize_with_checks(ESTIMATORS)
def test_check(request, estimator, check):
    if reason := reason_to_fail(estimator, check.func.__name__):
        request.applymarker(pytest.mark.xfail(reason=reason))
    check(estimator)
