"""ParamAttr: initialization and training options of one parameter."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, overload

import numpy as np

from ..core.errors import OperandError, OpError, append_user_line
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..core.type_aliases import Regularizer
from .initializer import Initializer

__all__ = ["ParamAttr"]


class ParamAttr:
    """Options of a parameter, for the arguments `weight_attr` and `bias_attr` of layers.

    Parameters
    ----------
    name : str, optional
        The name of the parameter; by default a generated one.
    initializer : Initializer, optional
        Computes the initial value; by default the layer chooses.
    learning_rate : float, default 1.0
        Factor of the optimizer's learning rate for this parameter.
    regularizer : WeightDecayRegularizer, optional
        Used instead of the `weight_decay` of the optimizer, for example
        `paddle.regularizer.L2Decay`.
    trainable : bool, default True
        False: ``stop_gradient`` of the parameter is True, so optimizers do not change it.
    do_model_average : bool, default True
        Whether a model average includes the parameter.
    need_clip : bool, default True
        Whether the gradient clipping of the optimizer includes the gradient of the parameter.

    Raises
    ------
    TypeError
        If an argument has a wrong type.

    Examples
    --------
    >>> attr = paddle.ParamAttr(name="w", initializer=nn.initializer.Constant(2.0), trainable=False)
    >>> layer = nn.Linear(2, 1, weight_attr=attr, bias_attr=False)
    >>> layer.weight.name, layer.weight.trainable, layer.weight.tolist()
    ('w', False, [[2.0], [2.0]])
    """

    # A function that creates a parameter which is computed from other parameters, such as by weight
    # normalization; it is called with a name, a shape and a factory of parameters.
    reparameterize: Any = None

    def __init__(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: Regularizer | None = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ) -> None:
        if compat.rules.checks_param_attr:
            self._check_argument_types(
                name,
                initializer,
                learning_rate,
                regularizer,
                trainable,
                do_model_average,
                need_clip,
            )
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    @staticmethod
    def _check_argument_types(
        name: Any, initializer: Any, learning_rate: Any, regularizer: Any, *flags: Any
    ) -> None:
        """Raise TypeError if an argument has a type that Paddle 2 rejects."""
        scalar = str | bool | int | float
        invalid = {
            "name": not isinstance(name, str | None),
            "initializer": isinstance(initializer, scalar),
            "learning_rate": not isinstance(learning_rate, float | int | np.number | Tensor),
            "regularizer": isinstance(regularizer, scalar),
            "trainable, do_model_average or need_clip": not all(
                isinstance(flag, bool | np.bool_) for flag in flags
            ),
        }
        names = [name for name, is_invalid in invalid.items() if is_invalid]
        if names:
            raise TypeError(append_user_line(f"ParamAttr: wrong type of {', '.join(names)}"))

    @overload
    @staticmethod
    def of(spec: ParamAttr | Initializer | str | Literal[True] | None) -> ParamAttr: ...
    @overload
    @staticmethod
    def of(spec: ParamAttrLike | None) -> ParamAttr | None: ...
    @staticmethod
    def of(spec: ParamAttrLike | None) -> ParamAttr | None:
        """Convert the argument `weight_attr` or `bias_attr` of a layer to a ParamAttr.

        Parameters
        ----------
        spec : ParamAttr, Initializer, str, bool or None
            A str is the name of the parameter; None and True stand for the defaults.

        Returns
        -------
        ParamAttr or None
            None for False, which stands for no parameter.

        Raises
        ------
        OpError
            If `spec` has another type.

        Examples
        --------
        >>> paddle.ParamAttr.of("w").name, paddle.ParamAttr.of(False)
        ('w', None)
        """
        if spec is None or spec is True:
            return ParamAttr()
        if spec is False:
            return None
        if isinstance(spec, ParamAttr):
            return spec
        if isinstance(spec, str):
            return ParamAttr(name=spec)
        if isinstance(spec, Initializer):
            return ParamAttr(initializer=spec)
        raise OpError(
            append_user_line(
                f"ParamAttr: {spec!r} is not one of None, False, str, Initializer, ParamAttr"
            )
        )

    @staticmethod
    def _to_attr(arg: Any) -> Any:
        """Convert a user's argument to a ParamAttr; False for False.

        Raises TypeError for other types.
        """
        try:
            return ParamAttr.of(arg) or False
        except OpError as error:
            raise OperandError(str(error)) from None


ParamAttrLike: TypeAlias = ParamAttr | Initializer | str | bool
