"""Control flow under the names of paddle.static.nn.control_flow."""

from ..control import case, cond, switch_case, while_loop
from ..control.bodies import ConditionalBlock, Switch, While
from ..control.static_rnn import StaticRNN
from ..effects import Assert, Print

__all__ = [
    "Assert",
    "ConditionalBlock",
    "Print",
    "StaticRNN",
    "Switch",
    "While",
    "case",
    "cond",
    "switch_case",
    "while_loop",
]
