"""Control flow under the names of paddle.static.nn.control_flow."""

from ..control import case, cond, switch_case, while_loop
from ..control.bodies import ConditionalBlock, Switch, While
from ..effects import Assert, Print

__all__ = ["Assert", "ConditionalBlock", "Print", "Switch", "While", "case", "cond", "switch_case", "while_loop"]
