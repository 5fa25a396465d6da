"""scikit-learn's own checks of estimators, in whatever release is installed."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from aoso import AOSOClassifier

ESTIMATORS = [
    AOSOClassifier(),
    AOSOClassifier(preset="paper", n_estimators=50),
    AOSOClassifier(preset="paper", n_estimators=50, leaf="pair", pairs=1, trim=0),
    AOSOClassifier(preset="paper", n_estimators=50, method="abc"),
    AOSOClassifier(preset="paper", n_estimators=50, method="logitboost"),
]


@pytest.mark.sampled(80)
@parametrize_with_checks(ESTIMATORS)
def test_check(estimator, check):
    if estimator.preset == "auto" and "sample_weight" in str(check) and ("equivalence" in str(check) or "invariance" in str(check)):
        pytest.xfail("different members may hold out two equal rows, but not one row of weight 2")
    check(estimator)
