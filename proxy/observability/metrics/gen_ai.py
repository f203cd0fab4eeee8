"""OpenTelemetry's metrics of a GenAI client, under the names that its Prometheus exporter uses.

The operation is one call to a provider, since turnright is the provider's client. A request that was tried twice counts
as two operations. Names, labels and bounds are those of ``gen-ai-metrics.md`` in the repository
``open-telemetry/semantic-conventions-genai`` (status: development; read in October 2026). There are two restrictions:
- Models are names of the configuration, never texts of a client or a provider.
- Providers are those of a table (:mod:`proxy.observability.gen_ai_names`).
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry

from proxy.observability.metrics.labelled import histogram

_OPERATION = (
    "gen_ai_operation_name",
    "gen_ai_provider_name",
    "gen_ai_request_model",
    "gen_ai_response_model",
)
_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TOKENS = tuple(4**power for power in range(14))


class GenAiMetrics:
    """The four metrics of a GenAI client."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.duration = histogram(
            registry,
            "gen_ai_client_operation_duration_seconds",
            "GenAI operation duration: one call to a provider, a stream to its end; error_type is empty where it "
            "succeeded.",
            _SECONDS,
            *_OPERATION,
            "error_type",
        )
        self.tokens = histogram(
            registry,
            "gen_ai_client_token_usage",
            "Number of input and output tokens used by one call to a provider, as it counted them.",
            _TOKENS,
            *_OPERATION,
            "gen_ai_token_type",
        )
        self.first_chunk = histogram(
            registry,
            "gen_ai_client_operation_time_to_first_chunk_seconds",
            "Time to receive the first chunk of a stream from the provider, whatever it holds.",
            _SECONDS,
            *_OPERATION,
        )
        self.per_chunk = histogram(
            registry,
            "gen_ai_client_operation_time_per_output_chunk_seconds",
            "Time between two chunks of a stream from the provider.",
            _SECONDS,
            *_OPERATION,
        )
