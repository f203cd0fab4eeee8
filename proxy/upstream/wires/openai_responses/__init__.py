"""OpenAI's Responses API as a provider's wire, for clients that speak the same API, and for models without chats.

The client's own items and bytes go to the provider, and the provider's own answer comes with its chat form. The wire
repairs nothing. A call whose items cannot go out as they came takes the chat wire instead. For a model that is asked by
this API alone, every other chat is written as items, and the answer is read as a chat.

The modules, in the order of the data:

    eligibility   the calls that this wire can carry
    addresses     the URL of responses, from that of chats
    parameters    the fields that a plan has changed
    requests      the bodies of requests
    from_chat     the bodies of requests that were chats
    output        the output items of a response as one chat message
    usage         the count of tokens
    failures      errors in a response and in a stream
    answers       whole answers
    positions     the ids and places of a stream's items
    streams       stream events
    wire          all of them as the protocol of wires
"""
