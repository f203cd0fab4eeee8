"""Thought signatures: given to a client as short ids, and given back to the model that made them. Pure.

Gemini 3 wants the signature that it gave with a call back on that call, and refuses a foreign one. Most clients know
OpenAI's format alone and drop what it does not name. So the client gets an id of ours for each call, and the
signature is kept by that id; it is written beside the call as well, for clients that do send it back.

    origins     whose signature it is         restoring   signatures back in their places
    client_ids  the ids that clients get      stand_ins   where one is required and lost

Where calls and messages hold a signature is in :mod:`proxy.upstream.signature_carriers`, and what is kept of a signed
call in :mod:`proxy.state.kept_signatures`.

Within a history on its way to Gemini a call's signature stands in one place, ``extra_content.google``
(``SIGNATURE_FIELD`` there), and each wire writes it as its own. Sources: ai.google.dev/gemini-api/docs/
thought-signatures, and where clients lose them: litellm#41534, OpenHands SDK#1500, helix#1835.
"""
