"""Judges whether a client's answer keeps the contract of all answers; shares no code with the proxy.

One contract for all tests, whatever the provider sent and by whichever transport: `streams.judge_stream` takes the
bytes of a stream, `answers.judge_answer` the JSON of a whole answer. Both tell what is wrong with it, in words, and
what a client reads in it. The openai SDK's own types and its accumulator are part of the judgement. Their import takes
a second, so that unit tests read `said` alone.
"""
