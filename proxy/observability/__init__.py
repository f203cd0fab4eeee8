"""Logs, metrics, traces and recent requests. The other packages of the proxy report to this package.

- request_record: the facts of one request, from its start to its end
- limit_facts: the limits and the use of one request's key
- limit_headers: the headers that say what is left of a key's limits
- finish_request: the log line and the metrics of a finished request
- logs, log_lines: structured logs, as JSON or for a terminal
- log_writer: the worker thread that writes log lines
- refusal_log: one line a minute for requests that are refused before their client is known
- key_refusals: one line a minute for each deployment whose key a provider refuses
- store_reports: the failures of the store outside the process
- repair_reports: repairs that are learned or unlearned
- metrics: Prometheus metrics
- tracing: spans, and the trace context that is passed on
- gen_ai_names: OpenTelemetry's names of providers and operations
- observed_upstream: an upstream whose calls are timed and counted
- recent_requests: the last requests, for the inspector
- live_buckets, model_times: the sums of the last ten minutes, in all and by model
"""
