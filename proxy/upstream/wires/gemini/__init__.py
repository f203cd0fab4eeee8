"""Converts OpenAI's format into Gemini's ``generateContent`` JSON, and Gemini's answers back.

The sanitizers have already adapted the history to the model's Gemini profile, so this package repairs nothing. A
request that still cannot be written raises :class:`~proxy.core.errors.InvalidRequest`. A body that is no answer raises
:class:`~proxy.core.errors.UpstreamFault`. There is no randomness: ids that Gemini left out are derived from the answer.

The modules that write the request:

    requests       the whole body
    contents       the history's turns, with the ids of calls
    results        tool results as function responses
    media          ``data:`` URLs as inline data
    declarations   tools and tool choice
    function_parameters  a tool's parameters as Gemini's ``Schema``
    settings       generation settings
    thinking       reasoning effort
    formats        the format of the answer
    extras         Gemini's own fields, which a client sends by name

The modules that write the request of a client of Gemini's own API:

    eligibility      the calls that go out in their client's form
    native_requests  the client's bytes, but for what the plan must change
    native_settings  single settings that have changed
    own_extras       the operator's own fields of Gemini
    native_wire      the wire of these requests
    native_stream    the events of a stream, for such a client
    native_calls     calls that the provider has sent twice

The modules that read the answer:

    reading      the state that whole answers (``answers``) and streams (``streams``) share
    candidates   one candidate's parts, and notes in place of its media
    finishing    the end of a candidate
    logprobs     log probabilities
    usage        the count of tokens, with the numbers read by ``counts``
    refusals     Google's errors

The module ``embeddings`` holds the request and the answer of a call for embeddings. ``native_embeddings`` holds the
request of a client of Gemini's own API. ``wire`` implements :mod:`proxy.upstream.wires.protocol` with these modules.
"""

from proxy.upstream.wires.gemini.answers import read_answer
from proxy.upstream.wires.gemini.refusals import is_bad_key
from proxy.upstream.wires.gemini.requests import build_request
from proxy.upstream.wires.gemini.streams import StreamReader

__all__ = ["StreamReader", "build_request", "is_bad_key", "read_answer"]
