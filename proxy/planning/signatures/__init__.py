"""Restores thought signatures: clients get short ids, and the model that made a signature gets it back.

Gemini 3 gives a call a signature, and requires the signature on that call in later requests. Gemini 3 refuses
signatures of another model or endpoint. Most clients know only OpenAI's format and drop other fields. So the client
gets an id that the proxy made for each call, and the store keeps the signature under that id. The call in the answer
carries the signature as well, for clients that send it back.

    origins     identifies the maker of a signature
    client_ids  makes the ids that clients get
    restoring   puts signatures back on calls
    usual_calls the signatures of messages in their usual form
    stand_ins   replaces a required signature that is lost
    thoughts    puts Claude's thoughts back, with their places

:mod:`proxy.upstream.signature_carriers` reads and writes the fields that hold signatures.
:mod:`proxy.state.kept_signatures` describes the stored signature of a call.

In a history on its way to Gemini, a call's signature is in one field, ``extra_content.google``. The carriers' module
calls that field ``SIGNATURE_FIELD``. Each wire format writes the signature in its own form. Sources:
ai.google.dev/gemini-api/docs/thought-signatures. Clients that lose signatures: litellm#41534, OpenHands SDK#1500,
helix#1835.
"""
