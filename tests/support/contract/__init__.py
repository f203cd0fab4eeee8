"""What every answer of the proxy owes its client, judged by what the client got; shares no code with the proxy.

One contract for all tests, whatever the provider sent and by whichever transport: `judge_stream` takes the bytes of a
stream, `judge_answer` the JSON of a whole answer. Both tell what is wrong with it, in words, and what a client reads in
it. The openai SDK's own types and its accumulator are part of the judgement.
"""

from tests.support.contract.answers import judge_answer
from tests.support.contract.said import Call, Choice, Judged, Said
from tests.support.contract.streams import judge_stream

__all__ = ["Call", "Choice", "Judged", "Said", "judge_answer", "judge_stream"]
