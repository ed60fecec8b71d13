"""Prometheus metrics of the server.

Labels are model names and statuses. Text that a client sends is never a label, so the number of
time series is bounded.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """The Prometheus metrics of one server: counters, times and sizes of requests."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "oarlock_requests_total",
            "Inference requests",
            ["model", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "oarlock_inference_seconds",
            "Time in the model",
            ["model"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.waiting = Gauge(
            "oarlock_requests_in_hand",
            "Complete requests that wait or run",
            registry=self._registry,
        )
        self.body_bytes = Gauge(
            "oarlock_request_body_bytes",
            "Bytes of request bodies and responses in memory",
            registry=self._registry,
        )

    def add(self, model: str, status: int, seconds: float | None) -> None:
        """Count a request.  seconds: time in the model, None if the model did not run"""
        self._requests.labels(model, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(model).observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)
