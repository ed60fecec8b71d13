"""Names of a module and their parameters. Runs in both environments."""

import inspect

# What a call of each of these is: `self` and the like are left out.
METHODS = {
    "Model": "train_batch eval_batch predict_batch save load parameters prepare fit evaluate predict summary",
    "Callback": "set_params set_model on_train_begin on_train_end on_eval_begin on_eval_end on_predict_begin on_predict_end on_epoch_begin "
    "on_epoch_end on_train_batch_begin on_train_batch_end on_eval_batch_begin on_eval_batch_end on_predict_batch_begin on_predict_batch_end",
}  # fmt: skip


def _parameters(function):
    kept = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return [[str(p.kind), p.name, "" if p.default is p.empty else repr(p.default)] for p in kept]


def of(module, names=None):
    """{name: [[kind, parameter, default], ...]} of all public names, or of those given;
    'Class.method' for some methods.
    """
    found = {}
    for name in names or module.__all__:
        value = getattr(module, name)
        found[name] = _parameters(value.__init__ if inspect.isclass(value) else value)
        for method in METHODS.get(name, "").split():
            found[f"{name}.{method}"] = _parameters(getattr(value, method))
    return found
