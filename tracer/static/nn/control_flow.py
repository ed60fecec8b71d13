"""Control flow functions under the names of paddle.static.nn.control_flow."""

from ...capture.control import case, cond, switch_case, while_loop
from ...capture.control.static_rnn import StaticRNN
from ...capture.control.with_blocks import ConditionalBlock, Switch, While
from ...capture.side_effects import Assert, Print

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
