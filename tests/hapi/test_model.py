"""Model without real Paddle: LeNet on digits, save and load, errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as oar
from oarlock import nn
from oarlock.callbacks import EarlyStopping, ReduceLROnPlateau
from oarlock.io import DataLoader, Dataset, IterableDataset, TensorDataset
from oarlock.metric import Accuracy
from oarlock.optimizer import SGD, Adam, Momentum
from oarlock.optimizer.lr import StepDecay
from oarlock.static import InputSpec
from oarlock.vision.models import LeNet

# 0 1 2 3, five rows of three
GLYPHS = ["111101101101111", "010110010010111", "111001111100111", "111001111001111"]


class Digits(Dataset):
    """Four digits, five times as large, somewhere in 28x28 with noise."""

    def __init__(self, count: int, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.rows = [self._row(i % 4) for i in range(count)]

    def _row(self, digit: int) -> tuple[Any, Any]:
        glyph = (
            np.array([int(c) for c in GLYPHS[digit]], "float32")
            .reshape(5, 3)
            .repeat(4, 0)
            .repeat(4, 1)
        )
        image = self.draw.normal(0, 0.3, (1, 28, 28)).astype("float32")
        top, left = self.draw.integers(2, 7), self.draw.integers(6, 11)
        image[0, top : top + 20, left : left + 12] += glyph
        return image, np.array([digit])

    def __getitem__(self, index: int) -> Any:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)


def small_model(metrics: Any = None, rate: Any = 0.1, rule: Any = SGD) -> oar.Model:
    """A prepared Model of four numbers to three classes."""
    model = oar.Model(nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)))
    model.prepare(rule(rate, parameters=model.parameters()), nn.CrossEntropyLoss(), metrics)
    return model


X = np.random.default_rng(0).standard_normal((12, 4)).astype("float32")
Y = np.random.default_rng(1).integers(0, 3, (12, 1))
ROWS = TensorDataset([X, Y])


def test_lenet_learns_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    oar.seed(1)
    model = oar.Model(
        LeNet(),
        InputSpec([None, 1, 28, 28], "float32", "image"),
        InputSpec([None, 1], "int64", "label"),
    )
    model.prepare(Adam(0.003, parameters=model.parameters()), nn.CrossEntropyLoss(), Accuracy())
    model.fit(
        Digits(160, 0),
        Digits(40, 1),
        batch_size=16,
        epochs=4,
        save_dir=str(tmp_path),
        save_freq=2,
        verbose=1,
    )
    out = capsys.readouterr().out
    assert "Epoch 4/4" in out
    assert "step 10/10 [==============================] - loss: " in out
    assert f"save checkpoint at {tmp_path}/final" in out
    assert {p.name for p in tmp_path.iterdir()} == {
        f"{n}.{e}" for n in ("0", "2", "final") for e in ("pdparams", "pdopt")
    }
    result = model.evaluate(Digits(40, 2), batch_size=8, verbose=0)
    assert result.keys() == {"loss", "acc"}
    assert result["acc"] >= 0.9
    (guesses,) = model.predict(Digits(40, 2), batch_size=8, stack_outputs=True, verbose=0)
    assert guesses.shape == (40, 10)
    assert (guesses.argmax(1) == np.arange(40) % 4).mean() == result["acc"]

    model.save(str(tmp_path / "m"), training=False)
    images = np.stack([row[0] for row in Digits(5, 2).rows])
    np.testing.assert_allclose(
        oar.jit.load(tmp_path / "m")(images).numpy(), guesses[:5], rtol=1e-4, atol=1e-4
    )


def test_training_resumes_from_checkpoint(tmp_path: Path) -> None:
    for rule, rate in ((Adam, 0.01), (Momentum, lambda: StepDecay(0.1, 3))):
        model = small_model(None, rate() if callable(rate) else rate, rule)
        model.fit(ROWS, batch_size=4, epochs=2, shuffle=False, verbose=0)
        model.save(str(tmp_path / "m"))
        # its parameters have other names
        again = small_model(None, rate() if callable(rate) else rate, rule)
        again.load(str(tmp_path / "m.pdparams"))
        model.fit(ROWS, batch_size=4, epochs=2, shuffle=False, verbose=0)
        again.fit(ROWS, batch_size=4, epochs=2, shuffle=False, verbose=0)
        for one, other in zip(model.parameters(), again.parameters(), strict=True):
            np.testing.assert_array_equal(one.numpy(), other.numpy())
        assert model._optimizer.get_lr() == again._optimizer.get_lr()
        fresh = small_model(None, rate() if callable(rate) else rate, rule)
        fresh.load(str(tmp_path / "m"), reset_optimizer=True)
        fresh.fit(ROWS, batch_size=4, epochs=2, shuffle=False, verbose=0)
        assert not np.array_equal(model.parameters()[0].numpy(), fresh.parameters()[0].numpy())


def test_load_of_mismatched_state(tmp_path: Path) -> None:
    small_model().save(str(tmp_path / "m"))
    other = oar.Model(nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2), nn.Linear(2, 1)))
    other.prepare(SGD(0.1, parameters=other.parameters()), nn.MSELoss())
    with pytest.raises(
        oar.OpError, match=r"2.weight has shape \[5, 3\] in the file, \[5, 2\] here, and 3 more"
    ):
        other.load(str(tmp_path / "m"))
    with pytest.warns(UserWarning, match="Skip loading for") as warned:
        other.load(str(tmp_path / "m"), skip_mismatch=True)
    assert sorted(str(w.message).split()[3] for w in warned) == [
        "2.bias",
        "2.weight",
        "3.bias",
        "3.weight",
    ]
    kept = oar.load(tmp_path / "m.pdparams")
    np.testing.assert_array_equal(other.network[0].weight.numpy(), kept["0.weight"].numpy())
    with pytest.raises(oar.OpError):
        other.load(str(tmp_path / "nothing"))


def test_save_for_inference_requires_shapes(tmp_path: Path) -> None:
    model = small_model()
    with pytest.raises(oar.OpError, match="requires `inputs` of the Model, or a batch"):
        model.save(str(tmp_path / "m"), training=False)
    model.train_batch([X], [Y])
    with pytest.warns(UserWarning, match=r"using the shapes \[\(-1, 4\)\]"):
        model.save(str(tmp_path / "m"), training=False)
    assert model.network.training
    np.testing.assert_allclose(
        oar.jit.load(tmp_path / "m")(X[:7]).numpy(),
        model.predict_batch([X[:7]])[0],
        rtol=1e-5,
        atol=1e-6,
    )


def test_batch_types() -> None:
    class Stream(IterableDataset):
        def __iter__(self) -> Iterator[Any]:
            return iter(zip(X, Y, strict=True))

    class Named(Dataset):
        def __getitem__(self, index: int) -> Any:
            return {"x": X[index], "rest": [Y[index]]}

        def __len__(self) -> int:
            return len(X)

    results = []
    for data in (
        ROWS,
        Stream(),
        Named(),
        DataLoader(ROWS, batch_size=4),
        [[X[i : i + 4], Y[i : i + 4]] for i in (0, 4, 8)],
    ):
        oar.seed(3)
        model = small_model(Accuracy())
        model.fit(data, batch_size=4, shuffle=False, verbose=0)
        results.append(model.evaluate(data, batch_size=4, verbose=0))
    assert all(result == results[0] for result in results)


def test_data_of_unknown_length(capsys: pytest.CaptureFixture[str]) -> None:
    class Stream(IterableDataset):
        def __iter__(self) -> Iterator[Any]:
            return iter(zip(X, Y, strict=True))

    model = small_model(Accuracy())
    model.fit(Stream(), batch_size=5, verbose=1, log_freq=1, num_iters=2, epochs=7)
    out = capsys.readouterr().out
    assert "step   2 - loss:" in out
    assert "step   3" not in out
    assert "Epoch 2/7" not in out


def test_several_losses_and_outputs() -> None:
    class Two(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 3), nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            return self.a(x), self.b(x)

    def loss(a: Any, b: Any, label: Any) -> Any:
        return [nn.functional.cross_entropy(v, label) for v in (a, b)]

    model = oar.Model(Two())
    model.prepare(SGD(0.5, parameters=model.parameters()), loss)
    first = model.train_batch([X], [Y])
    assert len(first) == 2
    for _ in range(5):
        last = model.train_batch([X], [Y])
    assert sum(last) < sum(first)
    outputs = model.predict(TensorDataset([X]), batch_size=5, verbose=0)
    assert [[a.shape for a in batches] for batches in outputs] == [[(5, 3), (5, 3), (2, 3)]] * 2


def test_evaluate_without_loss() -> None:
    model = oar.Model(nn.Linear(4, 3))
    model.prepare(metrics=Accuracy())
    assert model.evaluate(ROWS, batch_size=12, verbose=0).keys() == {"acc"}
    assert model.eval_batch([X], [Y])[0] == pytest.approx(
        model.evaluate(ROWS, batch_size=12, verbose=0)["acc"]
    )


def test_reduce_lr_on_plateau() -> None:
    model = small_model(rate=0.25)
    watch = ReduceLROnPlateau(patience=1, factor=0.1, min_delta=100.0, verbose=0)
    model.fit(ROWS, ROWS, batch_size=12, epochs=2, callbacks=[watch], verbose=0)
    assert model._optimizer.get_lr() == pytest.approx(0.025)
    loss = nn.functional.cross_entropy(model.network(oar.to_tensor(X)), oar.to_tensor(Y))
    (slope,) = oar.grad(loss, [model.parameters()[1]])
    before = model.parameters()[1].numpy()
    model.train_batch([X], [Y])
    np.testing.assert_allclose(
        model.parameters()[1].numpy(), before - 0.025 * slope.numpy(), rtol=1e-4, atol=1e-7
    )
    scheduled = small_model(rate=StepDecay(0.1, 3))
    with pytest.warns(UserWarning, match="is a scheduler"):
        scheduled.fit(ROWS, ROWS, batch_size=12, callbacks=[ReduceLROnPlateau()], verbose=0)


def test_early_stopping_saves_best_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = small_model(rate=0.0)  # nothing ever gets better
    watch = EarlyStopping(patience=2)
    model.fit(
        ROWS, ROWS, batch_size=12, epochs=9, callbacks=[watch], save_dir=str(tmp_path), verbose=0
    )
    assert watch.stopped_epoch == 3
    assert (tmp_path / "best_model.pdparams").exists()
    assert capsys.readouterr().out.splitlines() == [
        "Epoch 3: Early stopping.",
        f"Best checkpoint has been saved at {tmp_path}/best_model",
    ]
    at_once = EarlyStopping(verbose=0)
    model.fit(ROWS, ROWS, batch_size=12, epochs=9, callbacks=[at_once], verbose=0)
    assert at_once.stopped_epoch == 2
    with pytest.warns(UserWarning, match="needs validation data"):
        model.fit(ROWS, batch_size=12, callbacks=[EarlyStopping()], verbose=0)
    with pytest.warns(
        UserWarning,
        match=r"the evaluation has no value 'f1', only \['batch_size', 'loss', 'step'\]",
    ):
        model.fit(ROWS, ROWS, batch_size=12, callbacks=[EarlyStopping("f1")], verbose=0)
    with pytest.warns(UserWarning, match="mode='most' is not one of"):
        EarlyStopping(mode="most")


INVALID_CALLS = {
    "specs": (lambda: oar.Model(nn.Linear(1, 1), [3]), "inputs and labels must be InputSpecs"),
    "loss": (lambda: oar.Model(nn.Linear(1, 1)).prepare(loss=3), "loss must be a Layer or a function"),
    "metric": (lambda: oar.Model(nn.Linear(1, 1)).prepare(metrics=[3]), "int is not a Metric"),
    "amp": (lambda: oar.Model(nn.Linear(1, 1)).prepare(amp_configs="O3"), "'O3' of amp_configs is not one of O0, O1, O2"),
    "amp dict": (lambda: oar.Model(nn.Linear(1, 1)).prepare(amp_configs={"use_pure_fp16": 1}), r"has unknown keys \['use_pure_fp16'\]; supported are"),
    "not prepared": (lambda: oar.Model(nn.Linear(4, 3)).train_batch([X], [Y]), "call prepare"),
    "no data": (lambda: small_model().fit(), "train_data is required"),
    "num_iters": (lambda: small_model().fit(ROWS, num_iters=0), "num_iters=0 is less than 1"),
    "summary": (lambda: small_model().summary(), "input_size is required"),
    "no size": (lambda: oar.summary(nn.Linear(1, 1)), "input_size or input is required"),
    "sizes": (lambda: oar.summary(nn.Linear(1, 1), (None, None)), "only the batch"),
    "negative size": (lambda: oar.summary(nn.Linear(1, 1), (0, 1)), "sizes must be positive"),
    "dtypes": (lambda: oar.summary(nn.Linear(1, 1), (2, 1), dtypes=["int64"] * 2), "2 dtypes for 1 inputs"),
    "flops": (lambda: oar.flops(3, [1]), "int is not a Layer"),
    "by step and by epoch": (lambda: oar.callbacks.LRScheduler(True, True), "exclude each other"),
    "factor": (lambda: ReduceLROnPlateau(factor=1.0), "is not less than 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", INVALID_CALLS)
def test_invalid_calls_are_rejected(case: str) -> None:
    call, why = INVALID_CALLS[case]
    with pytest.raises(oar.OpError, match=why):
        call()


def test_summary_does_not_change_the_network(capsys: pytest.CaptureFixture[str]) -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.BatchNorm1D(4))
    net[1].eval()
    before = [layer.training for layer in net.sublayers()], net[2]._mean.numpy()
    oar.Model(net, InputSpec([None, 3])).summary()
    assert oar.flops(net, [2, 3], print_detail=True) == 4 * 2 * 3
    after = [layer.training for layer in net.sublayers()], net[2]._mean.numpy()
    assert (before[0], before[1].tolist()) == (after[0], after[1].tolist())
    assert not any(layer._forward_post_hooks for layer in net.sublayers())
    out = capsys.readouterr().out
    assert "Non-trainable params: 8" in out
    assert "Cannot find suitable count function for BatchNorm1D" in out
    assert "Total Flops: 24     Total Params: 32" in out
    with pytest.raises(oar.OpError):
        oar.summary(net, (1, 5))
    assert net.training
    assert oar.flops(nn.Linear(3, 4), [2, 3]) == 24  # Paddle gives 0 for a layer alone
