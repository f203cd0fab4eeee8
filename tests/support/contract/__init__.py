"""Checks the proxy's answers against the rules for all answers (the contract), without any code of the proxy.

The contract is the same for all providers and transports. `streams.judge_stream` judges the bytes of a stream, and
`answers.judge_answer` the JSON of a whole answer. Both functions return the violations as texts, and the answer as a
client reads it. The openai SDK's own types and its accumulator are part of the judgement. The import of the SDK takes a
second, so unit tests import `said` alone.
"""
