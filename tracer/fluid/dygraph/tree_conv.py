"""Tree-based convolution: `fluid.dygraph.TreeConv`."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from .layers import OptionalNameScopeLayer, apply_activation, with_optional_name_scope_argument

__all__ = ["TreeConv"]


def _infer_feature_size_argument(args: dict[str, Any], x: Any, *others: Any) -> dict[str, Any]:
    return {"feature_size": x.meta.shape[2]}


@with_optional_name_scope_argument(
    "output_size",
    "num_filters",
    "max_depth",
    "act",
    "param_attr",
    "bias_attr",
    "name",
    infer_arguments=_infer_feature_size_argument,
)
class TreeConv(OptionalNameScopeLayer):
    """act(features of each node and its descendants, times filters) (Mou et al. 2016).

    nodes_vector: [B, N, feature_size]
    edge_set: int [B, E, 2]; pairs of nodes, counted from 1

    Returns [B, N, output_size, num_filters]. As in 1.8, a bias is created only if bias_attr is
    given.
    """

    def __init__(
        self,
        feature_size: int,
        output_size: int,
        num_filters: int = 1,
        max_depth: int = 2,
        act: str | None = "tanh",
        param_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._act, self._depth = act, max_depth
        self.bias: Any = self.create_parameter(
            [num_filters], bias_attr or False, dtype, is_bias=True
        )
        self.weight: Any = self.create_parameter(
            [feature_size, 3, output_size, num_filters], param_attr, dtype
        )

    def forward(self, nodes_vector: Any, edge_set: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        out = OPS["tree_conv"](nodes_vector, edge_set, self.weight, max_depth=self._depth)
        out = out if self.bias is None else OPS["elementwise_add"](out, self.bias)
        return apply_activation("TreeConv", out, self._act)
