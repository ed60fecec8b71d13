"""The public names of this package, for type checkers."""

# Written by `python -m tests.tools.type_stubs`.

from oarlock.optimizer import (
    adam,
    adaptive,
    lbfgs,
    lr,
    lr_base,
    lr_cycles,
    lr_formula_schedulers,
    lr_plateau,
    optimizer,
    sgd,
    type_aliases,
)
from oarlock.optimizer.adam import Adam, Adamax, AdamW, Lamb
from oarlock.optimizer.adaptive import Adadelta, Adagrad, RMSProp
from oarlock.optimizer.lbfgs import LBFGS
from oarlock.optimizer.optimizer import Optimizer
from oarlock.optimizer.sgd import SGD, Momentum

__all__ = [
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lamb",
    "Momentum",
    "Optimizer",
    "RMSProp",
    "adam",
    "adaptive",
    "lbfgs",
    "lr",
    "lr_base",
    "lr_cycles",
    "lr_formula_schedulers",
    "lr_plateau",
    "optimizer",
    "sgd",
    "type_aliases",
]
