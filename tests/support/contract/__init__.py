"""Judges whether an answer to a client keeps the contract of all answers, without any code of the proxy.

The contract is the same for all providers and transports. `streams.judge_stream` judges the bytes of a stream, and
`answers.judge_answer` the JSON of a whole answer. Both functions return what is wrong, in words, and what a client
reads in the answer. The openai SDK's own types and its accumulator are part of the judgement. The import of the SDK
takes a second, so unit tests import `said` alone.
"""
