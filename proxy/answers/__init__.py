"""Brings what came back into canonical form, and checks and mends its tool calls. Pure.

In the order of the data:

    partial_call, assemble_calls  tool calls that come in pieces, with one place and one id for each
    join_surrogates               characters that a provider cut in two
    usage                         the tokens of an answer, whatever a provider calls them
    restore_tool_names            the client's names of tools
    normalize                     whole answers and chunks, from all of these
    chunk_rules, chunk_shapes     what is guaranteed of those chunks, and their types
    chunk_violations              the checker of those guarantees, for tests and for other writers of chunks
    repaired                      whether a repair changed what an answer says
    find_empty                    whether an answer says anything
    tool_calls                    the calls against the tools of the request
    embeddings, texts             the same for embeddings and text completions
"""
