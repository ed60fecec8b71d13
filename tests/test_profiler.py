"""`paddle.profiler`: events, tables and traces; schedules are compared with real Paddle in
`interop/same_hapi.py`.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn, profiler
from oarlock.core.mode import state
from oarlock.core.profile_events import profile_state
from oarlock.profiler.events import Event, Recorder
from oarlock.profiler.profiler import Profiler
from oarlock.profiler.summary import _covered


@pytest.fixture(autouse=True)
def _stops_recording() -> Any:
    before = state.mode
    yield
    assert profile_state.recorder is None
    assert state.mode is before


def ignore(_: Profiler) -> None:
    """Do nothing when a trace is ready."""


def train(steps: int = 3, **settings: Any) -> Profiler:
    """Train a small network with a profiler."""
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    data = paddle.io.TensorDataset([paddle.ones([2 * steps, 4])])
    with Profiler(on_trace_ready=ignore, **settings) as running:
        for (x,) in paddle.io.DataLoader(data, batch_size=2):
            loss = net(x).sum()
            loss.backward()
            sgd.step()
            running.step(num_samples=2)
    return running


def kinds_of(running: Profiler) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for event in running._events:
        found.setdefault(event.kind, []).append(event.name)
    return found


def test_events_of_training() -> None:
    kinds = kinds_of(train(scheduler=(1, 2)))
    assert kinds["ProfileStep"] == ["ProfileStep#1"]
    assert kinds["Forward"] == ["Sequential"]
    assert kinds["Layer"] == ["Linear", "ReLU"]
    assert kinds["Optimization"] == ["SGD.step"]
    assert kinds["Backward"] == ["backward"]
    assert {"relu", "reduce_sum", "relu_grad", "reduce_sum_grad"} <= set(kinds["Operator"])
    assert len(kinds_of(train())["Dataloader"]) == 4  # the last one finds the end


def test_events_nest() -> None:
    events = sorted(train()._events, key=lambda event: event.start)
    assert all(event.start <= event.end for event in events)
    for inner in events:
        enclosing = [e for e in events if e.start <= inner.start and inner.end <= e.end]
        assert len(enclosing) >= inner.depth + 1


def test_gradients_equal_those_without_profiler() -> None:
    def gradient() -> np.ndarray[Any, Any]:
        x = paddle.to_tensor([[1.0, -2.0]], stop_gradient=False)
        (nn.functional.gelu(x) * x).sum().backward()
        return x.grad.numpy()

    expected = gradient()
    with Profiler(on_trace_ready=ignore):
        assert (gradient() == expected).all()


def test_shapes_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    running = train(record_shapes=True, profile_memory=True)
    relu = next(event for event in running._events if event.name == "relu")
    assert relu.shapes == ["float32[2,3]"]
    assert relu.result_bytes == 24
    running.summary(views=profiler.SummaryView.MemoryView)
    assert "relu" in capsys.readouterr().out


def test_trace_is_read_again(tmp_path: Path) -> None:
    path = str(tmp_path / "trace.json")
    running = train(record_shapes=True)
    running.export(path)
    entries = json.loads(Path(path).read_text())["traceEvents"]
    assert {entry["ph"] for entry in entries} == {"X"}
    read = profiler.load_profiler_result(path).events
    assert sorted((e.name, e.kind, e.duration) for e in read) == sorted(
        (e.name, e.kind, e.duration) for e in running._events
    )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"traceEvents": [1]}', "[" * 5000])
def test_damaged_trace(text: str, tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(text)
    with pytest.raises(paddle.FileError, match="no trace of a profiler"):
        profiler.load_profiler_result(str(tmp_path / "trace.json"))


@pytest.mark.parametrize("key", list(profiler.SortedKeys))
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_summary(key: Any, unit: str, capsys: pytest.CaptureFixture[str]) -> None:
    train().summary(sorted_by=key, time_unit=unit, thread_sep=True)
    printed = capsys.readouterr().out
    assert f"({unit})" in printed
    assert "matmul_v2" in printed or "linear" in printed


def test_default_writes_a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Profiler():
        paddle.ones([2])
    assert len(list(tmp_path.glob("profiler_log/*.paddle_trace.json"))) == 1


def test_errors() -> None:
    with pytest.raises(paddle.OpError, match="no range of steps"):
        Profiler(scheduler=(3, 2))
    with pytest.raises(paddle.OpError, match="record=0 is less than 1"):
        profiler.make_scheduler(closed=0, ready=0, record=0)
    with pytest.raises(paddle.OpError, match="is not one of s, ms, us, ns"):
        train().summary(time_unit="min")
    with pytest.raises(paddle.OpError, match="sorted_by='CPUTotal' is no SortedKeys"):
        train().summary(sorted_by="CPUTotal")  # type: ignore[arg-type]
    with pytest.raises(paddle.OpError, match="neither a function nor a range"):
        Profiler(scheduler="always")  # type: ignore[arg-type]
    with pytest.raises(paddle.OpError, match="is not 'json'"):
        train().export("trace", format="pb")
    with (
        Profiler(on_trace_ready=ignore),
        pytest.raises(paddle.OpError, match="another profiler records"),
    ):
        Profiler().start()


def test_error_in_an_op_ends_its_event() -> None:
    with Profiler(on_trace_ready=ignore) as running:
        with pytest.raises(paddle.OpError):
            paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
        paddle.ones([1])
    assert {event.depth for event in running._events if event.kind == "Operator"} == {1}


def test_other_threads_record_their_own_events() -> None:
    def work() -> None:
        with profiler.RecordEvent("other"):
            pass

    with Profiler(on_trace_ready=ignore) as running:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    event = next(event for event in running._events if event.name == "other")
    assert event.thread != threading.get_ident()
    assert event.depth == 0


def test_to_static_under_a_profiler() -> None:
    net = paddle.jit.to_static(nn.Linear(2, 2))
    expected = net(paddle.ones([1, 2])).numpy()
    with Profiler(on_trace_ready=ignore) as running:
        found = net(paddle.ones([1, 2])).numpy()
        recorded = paddle.jit.to_static(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
        recorded(paddle.ones([1, 2]))
    assert (found == expected).all()
    assert "Linear" in kinds_of(running)["Forward"]


def test_overlapping_events_count_once() -> None:
    events = [Event("a", "k", 1, 0, 10), Event("b", "k", 1, 2, 5), Event("c", "k", 2, 0, 4)]
    assert _covered(events) == 14


def test_end_without_begin() -> None:
    recorder = Recorder(False, False)
    recorder.end()
    assert recorder.events == []


def test_step_info() -> None:
    running = train(timer_only=True)
    assert running._events == []
    assert running.step_info("images").endswith("images/s")
    assert running.step_info() == ""


def test_a_profiler_that_was_not_stopped_does_not_block_others() -> None:
    abandoned = Profiler(on_trace_ready=ignore)
    abandoned.start()
    del abandoned
    with Profiler(on_trace_ready=ignore) as profiler:
        paddle.ones([2])
    assert [e.name for e in profiler._events] == ["fill_constant", "ProfileStep#0"]


def test_steps_before_start_and_after_stop_record_nothing() -> None:
    stopped = Profiler(on_trace_ready=ignore)
    stopped.step()
    stopped.stop()
    stopped.start()
    stopped.stop()
    stopped.step()
    with Profiler(on_trace_ready=ignore):
        pass
    with pytest.raises(paddle.OpError, match="started already"), stopped:
        stopped.start()


def test_record_events_end_only_themselves() -> None:
    earlier, event = paddle.profiler.RecordEvent("earlier"), paddle.profiler.RecordEvent("event")
    earlier.begin()
    with Profiler(on_trace_ready=ignore) as profiler:
        earlier.end()
        event.begin()
        event.end()
        event.end()
        paddle.ones([2])
        event.begin()
    event.end()
    depths = {e.name: e.depth for e in profiler._events}
    assert depths == {"event": 1, "fill_constant": 1, "ProfileStep#0": 0}
