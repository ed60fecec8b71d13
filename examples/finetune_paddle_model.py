"""Fine-tune a model that PaddlePaddle saved, without PaddlePaddle, and save it again for PaddlePaddle and for C++.

python finetune_paddle_model.py MODEL [OUTPUT]    - MODEL is a prefix, or its .pdmodel; one input, one output of class logits.
"""

import sys

import numpy as np

import oarlock as paddle
from oarlock.nn import functional as F


def made_up(var, count, classes, rng):
    """Random inputs of the shape the model takes, and random classes; put your data here."""
    sizes = [count if i == 0 else 32 if d < 0 else d for i, d in enumerate(var.shape)]
    x = rng.standard_normal(sizes) if "float" in var.dtype else rng.integers(0, 2, sizes)
    return paddle.to_tensor(x.astype(var.dtype)), paddle.to_tensor(rng.integers(0, classes, (count, 1)))


def main(prefix, output):
    """Load, freeze all but the last two parameters, train, compare, save."""
    layer = paddle.jit.load(prefix)
    print(layer)
    program = layer.program()
    (taken,), (given,) = program.feeds(), program.fetches()
    classes = program.block.vars[given].shape[-1]
    x, y = made_up(program.block.vars[taken], 8, classes, np.random.default_rng(0))

    parameters = [p for p in layer.parameters() if not p.stop_gradient]
    for parameter in parameters[:-2]:
        parameter.stop_gradient = True
    rule = paddle.optimizer.Adam(0.01, parameters=parameters[-2:])
    layer.train()  # dropout and batch norm learn again; eval() is what jit.load gives
    for step in range(20):
        loss = F.cross_entropy(layer(x), y)
        loss.backward()
        rule.step()
        rule.clear_grad()
        if step % 5 == 4:
            print(f"step {step + 1}: loss {loss.item():.4f}")

    layer.eval()
    paddle.jit.save(layer, output)  # the input spec is the one of the file
    again = paddle.jit.load(output)
    np.testing.assert_allclose(again(x).numpy(), layer(x).numpy(), rtol=1e-4, atol=1e-5)
    print(f"saved {output}.pdmodel, verified {again.program().contract.verified}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else "finetuned")
