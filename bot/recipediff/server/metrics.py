"""Figures for Prometheus. Labels come from short lists of our own, never from what a sender writes."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from recipediff.app.events import PLANNERS
from recipediff.inbox.contract import Depth
from recipediff.inbox.worker import Dead, Retry, RunEnded

CONTENT_TYPE = CONTENT_TYPE_LATEST
_FAST = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_SLOW = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class Metrics:
    """All figures of one process."""

    def __init__(self) -> None:
        self.registry = into = CollectorRegistry()
        self.deliveries = Counter(
            "recipediff_deliveries", "Webhook deliveries by what became of them", ["event", "outcome"], registry=into
        )
        self._delivered: dict[tuple[str, str], Counter] = {}
        self.answer = Histogram(
            "recipediff_delivery_seconds", "From a delivery's headers to its answer", buckets=_FAST, registry=into
        )
        self.jobs = Counter("recipediff_jobs", "Runs by kind and end", ["kind", "end", "reason"], registry=into)
        self.run = Histogram("recipediff_job_seconds", "How long a run took", ["kind"], buckets=_SLOW, registry=into)
        self.inbox = Gauge("recipediff_inbox_jobs", "Jobs in the inbox", ["state"], registry=into)
        self.oldest = Gauge(
            "recipediff_inbox_late_seconds", "By how much the longest waiting job is late", registry=into
        )
        self.requests = Counter(
            "recipediff_github_requests", "Requests to GitHub", ["operation", "status"], registry=into
        )
        self.waited = Histogram("recipediff_github_seconds", "How long GitHub took", buckets=_FAST, registry=into)

    def delivered(self, event: str, outcome: str, seconds: float) -> None:
        """One delivery was answered."""
        labels = (event if event in PLANNERS else "other", outcome)
        counter = self._delivered.get(labels)
        if counter is None:
            counter = self._delivered[labels] = self.deliveries.labels(*labels)
        counter.inc()
        self.answer.observe(seconds)

    def ended(self, ended: RunEnded) -> None:
        """One run of a job ended."""
        kind = ended.job.key.partition(":")[0]
        match ended.outcome:
            case Retry(reason):
                end = "again"
            case Dead(reason):
                end = "dead"
            case _:
                end, reason = "done", ""
        self.jobs.labels(kind, end, reason).inc()
        self.run.labels(kind).observe(ended.seconds)

    def asked(self, operation: str, status: int, milliseconds: float) -> None:
        """One request to GitHub came back; `status` is 0 where no answer came."""
        self.requests.labels(operation, str(status)).inc()
        self.waited.observe(milliseconds / 1000)

    def page(self, depth: Depth | None) -> bytes:
        """The page that Prometheus reads."""
        if depth is not None:
            for state in ("waiting", "delayed", "running", "dead"):
                self.inbox.labels(state).set(getattr(depth, state))
            self.oldest.set(depth.oldest)
        return generate_latest(self.registry)
