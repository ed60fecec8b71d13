"""Fine-tune a model saved by PaddlePaddle, without PaddlePaddle, and save it again for PaddlePaddle
and for C++.

python finetune_paddle_model.py MODEL [OUTPUT]
- MODEL is a path prefix or a .pdmodel file; its first output must be the logits of classes.
"""

import sys

import numpy as np

import oarlock as paddle
from oarlock.nn import functional as F


def random_input(var, count, rng):
    """Return a random input of a valid shape; replace this with your data."""
    sizes = [count if i == 0 else 32 if d < 0 else d for i, d in enumerate(var.shape)]
    array = rng.standard_normal(sizes) if "float" in var.dtype.name else rng.integers(0, 2, sizes)
    return paddle.to_tensor(array.astype(var.dtype.name))


def first_output(outputs):
    """Return the first output; a model with several outputs returns a list."""
    return outputs[0] if isinstance(outputs, list | tuple) else outputs


def main(prefix, output):
    """Load, freeze all but the last two parameters, train, save, compare."""
    layer = paddle.jit.load(prefix)
    print(layer)
    program = layer.program()
    rng = np.random.default_rng(0)
    inputs = [
        random_input(program.global_block().var(name), 8, rng) for name in program.feed_names()
    ]
    labels = paddle.to_tensor(rng.integers(0, first_output(layer(*inputs)).shape[-1], (8, 1)))

    parameters = [p for p in layer.parameters() if not p.stop_gradient]
    for parameter in parameters[:-2]:
        parameter.stop_gradient = True
    optimizer = paddle.optimizer.Adam(0.01, parameters=parameters[-2:])
    layer.train()  # jit.load returns a layer in eval mode; here dropout and batch norm must train
    for step in range(1, 21):
        loss = F.cross_entropy(first_output(layer(*inputs)), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 5 == 0:
            print(f"step {step}: loss {loss.item():.4f}")

    layer.eval()
    paddle.jit.save(layer, output)  # with the input spec of the loaded file
    reloaded = paddle.jit.load(output)
    np.testing.assert_allclose(
        first_output(reloaded(*inputs)).numpy(),
        first_output(layer(*inputs)).numpy(),
        rtol=1e-4,
        atol=1e-5,
    )
    print(f"saved {output}.pdmodel, verified {reloaded.program().contract.verified}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "finetuned")
