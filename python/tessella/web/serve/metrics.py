"""Numbers for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._optional import needed

if TYPE_CHECKING:
    from ..guard import Guard


class Metrics:
    """Requests, seconds, texts and tokens; each application has its own.

    Example:
        >>> metrics = Metrics()
        >>> metrics.request("/v1/count", 200, 0.01)
        >>> b'tessella_requests_total{path="/v1/count",status="200"} 1.0' in metrics.page()[0]
        True
    """

    def __init__(self) -> None:
        client = needed("prometheus_client", "serve", "`tessella serve`")
        self._client = client
        self._registry = client.CollectorRegistry()
        self._requests = client.Counter(
            "tessella_requests", "Requests that were answered.", ["path", "status"], registry=self._registry
        )
        self._refused = client.Counter(
            "tessella_refused", "Requests that were refused at the door.", ["status"], registry=self._registry
        )
        self._seconds = client.Histogram(
            "tessella_request_seconds",
            "Seconds from a request's whole body to its answer.",
            ["path"],
            buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
            registry=self._registry,
        )
        self._results = client.Counter(
            "tessella_results",
            "Texts and lists of ids that were worked on.",
            ["path", "tokenizer"],
            registry=self._registry,
        )
        self._places = client.Gauge(
            "tessella_requests_now", "Requests that hold a place.", registry=self._registry
        )
        self._held = client.Gauge(
            "tessella_body_bytes_now", "Bytes of their bodies.", registry=self._registry
        )

    def watch(self, guard: Guard) -> None:
        """Tells how full the places are."""
        self._places.set_function(lambda: guard.requests)
        self._held.set_function(lambda: guard.held)

    def request(self, path: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def results(self, path: str, tokenizer: str, count: int) -> None:
        """So many texts were worked on."""
        self._results.labels(path, tokenizer).inc(count)

    def refused(self, status: int) -> None:
        """A request was refused at the door."""
        self._refused.labels(str(status)).inc()

    def page(self) -> tuple[bytes, str]:
        """All numbers, and the media type of the page."""
        return self._client.generate_latest(self._registry), self._client.CONTENT_TYPE_LATEST
