"""Brings provider answers into canonical form, and checks and repairs their tool calls. Pure.

The modules:

    object_end                    finds the end of a JSON object that comes in pieces
    partial_call, assemble_calls  join tool calls that come in pieces, and give each a place and an id
    join_surrogates               joins surrogate pairs that a provider split
    answer_thoughts               thoughts with their places: for the client, and for the store
    usage                         token counts and log probabilities in OpenAI's types
    received_text                 the text of a stream, for an estimate of its tokens
    restore_tool_names            puts the client's tool names back
    normalize_answer, normalize   bring whole answers and chunks into canonical form, with all of these
    chunk_rules, chunk_shapes     the guarantees of strict chunks, and their types
    chunk_violations              checks these guarantees, for tests and for other writers of chunks
    repaired                      tells if a repair changed the text or calls of an answer
    find_empty                    tells if an answer holds anything
    tool_calls                    checks calls against the tools of the request
    embeddings, texts             the same for embeddings and text completions
"""
