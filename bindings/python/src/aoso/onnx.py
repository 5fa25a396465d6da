"""The converter for skl2onnx, so that ``convert_sklearn`` and ``to_onnx`` take pipelines with an ``AOSOClassifier``."""

from __future__ import annotations

from typing import Any

from .errors import ArgumentError
from .sklearn import AOSOClassifier

__all__ = ["register"]


def register() -> None:
    """Make the estimator known to skl2onnx, which must be installed, as well as onnx.

    Features must be numeric, in float32 or float64: thresholds are placed for the type. The probabilities are in the order of ``classes_``. Labels are int64 where all classes are integers,
    else strings. A single estimator needs none of this: ``model.booster_.export("onnx", path)``.

    Examples
    --------
    >>> import aoso.onnx
    >>> aoso.onnx.register()  # doctest: +SKIP
    >>> onx = skl2onnx.to_onnx(pipeline, X[:1], options={"zipmap": False})  # doctest: +SKIP
    """
    from skl2onnx import update_registered_converter

    options = {"zipmap": [True, False, "columns"], "nocl": [True, False], "output_class_labels": [False, True]}
    update_registered_converter(AOSOClassifier, "AosoClassifier", _shapes, _convert, options=options)


def _exported(operator: Any) -> Any:
    import onnx
    from skl2onnx.common.data_types import DoubleTensorType

    booster = operator.raw_operator.booster_
    if booster.categories:
        raise ArgumentError(f"the model has the categorical features {', '.join(booster.categories)}; allowed: numeric features")
    double = isinstance(operator.inputs[0].type, DoubleTensorType)
    return onnx.load_from_string(booster.export("onnx_double" if double else "onnx")).graph


def _shapes(operator: Any) -> None:
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

    graph, rows = _exported(operator), operator.inputs[0].get_first_dimension()
    whole = graph.output[0].type.tensor_type.elem_type == 7  # int64
    operator.outputs[0].type = (Int64TensorType if whole else StringTensorType)([rows])
    operator.outputs[1].type = FloatTensorType([rows, len(operator.raw_operator.classes_)])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Copy the nodes of the export."""
    import onnx

    graph = _exported(operator)
    order = operator.raw_operator.booster_.classes.argsort()
    label, probabilities = (output.full_name for output in operator.outputs)
    names: dict[str, str] = {graph.input[0].name: operator.inputs[0].full_name, graph.output[0].name: label}
    made = scope.get_unique_variable_name("probabilities")
    names[graph.output[1].name] = made

    def renamed(name: str) -> str:
        if name and name not in names:
            names[name] = scope.get_unique_variable_name(name)
        return names.get(name, name)

    for initializer in graph.initializer:
        copied = onnx.TensorProto()
        copied.CopyFrom(initializer)
        copied.name = renamed(initializer.name)
        container.initializers.append(copied)
    for node in graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        _add(scope, container, node.op_type, map(renamed, node.input), map(renamed, node.output), node.domain, attributes)
    position = scope.get_unique_variable_name("order")
    container.add_initializer(position, onnx.TensorProto.INT64, [len(order)], order.tolist())
    _add(scope, container, "Gather", [made, position], [probabilities], "", {"axis": 1})


def _add(scope: Any, container: Any, kind: str, inputs: Any, outputs: Any, domain: str, attributes: dict[str, Any]) -> None:
    version = 3 if domain == "ai.onnx.ml" else 13
    name = scope.get_unique_operator_name(kind)
    container.add_node(kind, list(inputs), list(outputs), op_domain=domain, op_version=version, name=name, **attributes)
