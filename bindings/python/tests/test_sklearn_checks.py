"""scikit-learn's own checks of estimators, in whatever release is installed."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from aoso import AOSOClassifier

# scikit-learn lowers the n_estimators of others to 5 for its checks, but knows nothing of trees.
ESTIMATORS = [
    AOSOClassifier(trees=50),
    AOSOClassifier(trees=50, leaf="pair", pairs=1, trim=0),
    AOSOClassifier(trees=50, method="abc"),
    AOSOClassifier(trees=50, method="logitboost"),
    AOSOClassifier(),
]


def reason_to_fail(estimator, check):
    if estimator.method == "logitboost" and check.startswith("check_sample_weight_equivalence_on"):
        return "two classes tie for two rows that have no weight; the last bit of sums over weights decides"
    if estimator.trees == 1000 and check == "check_class_weight_classifiers":
        return "1000 trees learn labels that are noise by heart, as 100 of GradientBoostingClassifier do; the check is for 5"
    return None


@parametrize_with_checks(ESTIMATORS)
def test_check(request, estimator, check):
    if reason := reason_to_fail(estimator, check.func.__name__):
        request.applymarker(pytest.mark.xfail(reason=reason))
    check(estimator)
