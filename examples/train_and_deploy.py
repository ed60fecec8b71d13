"""Train a small classifier, save it in Paddle's format (verified), load it again, and run it in the
C++ runner.

python train_and_deploy.py [FOLDER]
- runs in seconds; without FOLDER the files are written to a temporary folder.
"""

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

import oarlock as paddle
from oarlock import nn


class Classifier(nn.Layer):
    """Predict which of the three arms of a spiral a point belongs to.

    point [N, 2] -> logits [N, 3], probability [N, 3]
    """

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, 3)

    def forward(self, point):
        """Return logits and probabilities."""
        logits = self.head(self.body(point))
        return {"logits": logits, "probability": nn.functional.softmax(logits)}


def spiral(count, seed):
    """Return points, float32 [count, 2], and their arms, int64 [count, 1]."""
    rng = np.random.default_rng(seed)
    arm = rng.integers(0, 3, (count, 1))
    radius = rng.uniform(0.1, 1.0, (count, 1))
    angle = 4 * radius + arm * 2 * np.pi / 3 + 0.1 * rng.standard_normal((count, 1))
    points = radius * np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
    return points.astype("float32"), arm.astype("int64")


def train(model, epochs=40):
    """Train with Adam on mini-batches and return the last loss."""
    loader = paddle.io.DataLoader(
        paddle.io.TensorDataset(spiral(900, seed=1)), batch_size=64, shuffle=True
    )
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    for _ in range(epochs):
        for point, arm in loader:
            loss = nn.functional.cross_entropy(model(point)["logits"], arm)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
    return loss.item()


def runner_path():
    """Return the path of oarlock-runner, or None if it is not installed."""
    return shutil.which("oarlock-runner", path=sysconfig.get_path("scripts")) or shutil.which(
        "oarlock-runner"
    )


def main(folder):
    """Run all steps."""
    paddle.seed(0)
    model = Classifier()
    print(f"trained, last loss {train(model):.3f}")

    model.eval()
    prefix = folder / "spiral"
    paddle.jit.save(
        model, prefix, input_spec=[paddle.static.InputSpec([None, 2], "float32", "point")]
    )
    layer = paddle.jit.load(prefix)
    print(f"saved {', '.join(sorted(p.name for p in folder.iterdir()))}")
    print(f"verified {layer.program().contract.verified}")

    points, arms = spiral(300, seed=2)
    outputs = layer(points)  # a dict, like the result of forward
    accuracy = (outputs["logits"].numpy().argmax(1) == arms[:, 0]).mean()
    print(f"{100 * accuracy:.1f} % accuracy on new points")
    assert accuracy > 0.9

    np.savez(folder / "in.npz", point=points)
    command = [
        runner_path(),
        "run",
        str(prefix),
        "--input",
        str(folder / "in.npz"),
        "--output",
        str(folder / "out.npz"),
    ]
    if command[0] is None:
        print("oarlock-runner is not installed; skipping the C++ step")
        return
    subprocess.run(command, check=True)
    with np.load(folder / "out.npz") as results:
        difference = np.abs(results["probability"] - outputs["probability"].numpy()).max()
    print(f"C++ runner: largest difference {difference:.1e}")
    assert difference < 1e-5


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
