"""Reads the bytes of clients into requests. Each client format has a folder, and all share paths and middlewares.

The files, in the order of the data:

    middlewares                        checks around every request: record, errors, web pages, keys, limits
    routes                             the paths and their handlers, which read the body
    json_fields                        the fields that OpenAI's formats share
    mend_surrogates                    the repair of texts that were cut within a character
    load_body                          the decoding of a body with a history
    parameter_types, parameter_limits  the types of parameters, and the lengths of lists and maps
    api_headers                        the headers by which a client's API is known on a shared path
    call_input                         the arguments of an answer's call as an object
    request_weight                     the cost of the work on a request
    provider_needs                     what only the provider of a client's own format can serve
    cached_tools                       the bounds and the facts of tools that formats cache
    anthropic_messages                 the format of Anthropic's Messages API
    gemini_native                      the format of Gemini's own API
    openai_chat                        the format of chat completions
    openai_responses                   the format of the Responses API
    openai_text                        the formats of embeddings and text completions
    openai_answers                     answers, errors and stream events, which OpenAI's formats share
    formats                            the table of the formats by path
    token_numbers, overflow_numbers    the numbers of tokens that an error or an estimate names
    client_places                      numbers of chat messages as the places that a client knows
    refusals                           the answer for an error, in the format of its client
    page_headers                       the headers of the inspector's page and of its data
"""
