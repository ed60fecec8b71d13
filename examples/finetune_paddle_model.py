"""Fine-tune a model that PaddlePaddle saved, without PaddlePaddle, and save it again for
PaddlePaddle and for C++.

python finetune_paddle_model.py MODEL [OUTPUT]
- MODEL is a prefix, or its .pdmodel; its first output are logits of classes.
"""

import sys

import numpy as np

import oarlock as paddle
from oarlock.nn import functional as F


def made_up(var, count, rng):
    """A random input of a shape the model takes; put your data here."""
    sizes = [count if i == 0 else 32 if d < 0 else d for i, d in enumerate(var.shape)]
    array = rng.standard_normal(sizes) if "float" in var.dtype.name else rng.integers(0, 2, sizes)
    return paddle.to_tensor(array.astype(var.dtype.name))


def first(outputs):
    """A model with several outputs gives a list of them."""
    return outputs[0] if isinstance(outputs, list | tuple) else outputs


def main(prefix, output):
    """Load, freeze all but the last two parameters, train, save, compare."""
    layer = paddle.jit.load(prefix)
    print(layer)
    program = layer.program()
    rng = np.random.default_rng(0)
    inputs = [made_up(program.global_block().var(name), 8, rng) for name in program.feeds()]
    wanted = paddle.to_tensor(rng.integers(0, first(layer(*inputs)).shape[-1], (8, 1)))

    parameters = [p for p in layer.parameters() if not p.stop_gradient]
    for parameter in parameters[:-2]:
        parameter.stop_gradient = True
    rule = paddle.optimizer.Adam(0.01, parameters=parameters[-2:])
    layer.train()  # dropout and batch norm learn again; jit.load gives a layer in eval mode
    for step in range(1, 21):
        loss = F.cross_entropy(first(layer(*inputs)), wanted)
        loss.backward()
        rule.step()
        rule.clear_grad()
        if step % 5 == 0:
            print(f"step {step}: loss {loss.item():.4f}")

    layer.eval()
    paddle.jit.save(layer, output)  # the input spec is that of the file
    again = paddle.jit.load(output)
    np.testing.assert_allclose(
        first(again(*inputs)).numpy(), first(layer(*inputs)).numpy(), rtol=1e-4, atol=1e-5
    )
    print(f"saved {output}.pdmodel, verified {again.program().contract.verified}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "finetuned")
