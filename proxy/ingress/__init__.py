"""What clients send, read into requests. One folder for each client format; paths and middlewares are shared.

In the order of the data:

    middlewares                        what every request passes: its record, errors, web pages, keys, limits
    routes                             the paths, and the handler of each; the body is read here
    json_fields                        the fields that OpenAI's formats share
    parameter_types, parameter_limits  the types of parameters, and the lengths of lists and maps
    openai_chat                        a chat request, from its bytes
    openai_text                        the same for embeddings and text completions
    openai_answers                     what OpenAI's formats share in their answers: errors, events of streams
    formats                            the table of the formats, each at its path
    page_headers                       the headers of the inspector's page and of its data
"""
