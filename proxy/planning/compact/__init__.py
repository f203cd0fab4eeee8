"""Compaction: replaces the older messages of a long history by a memory of them. No module here sends or stores.

A summary is written in the background (:mod:`proxy.forwarding.chat.commission_summaries`) and used by later requests.
The same history and the same stored summary give the same memory, in every process. Files, in the order of the data:

    policies        the settings of compaction for a model and a client's key
    measure         the tokens of a history, where it may be long enough for a memory
    hash_chain      digests of each prefix of a history
    known_prefixes  digests that were computed for an earlier request
    boundaries      the places where a history can be cut without splitting a round of calls
    choose_summary  which stored summary serves a history
    applied_memory  a history with a memory in place of its older messages
    client_indexes  the indexes of a plan as those of the client's messages
    choose_cut      where the next summary ends, and which messages stay
    message_texts   the texts and calls of messages of any shape
    fact_rules      the rules that find facts in words and lines
    failed_commands the commands that failed, by their results
    find_facts      facts of the replaced messages that no model rewrites: paths, ids, addresses, errors, commands
    user_words      the user's own texts, newest first
    memory_ledger   the user's words and the facts, in the order in which they are kept
    excerpts        the newest error and test result, word for word
    memory_text     the memory message, within its limit of tokens
    transcript      the replaced messages as text for the summarizing model
    blank_secrets   the mask for credentials in that text
    summary_call    the request to the summarizing model
    accept_summary  checks of that model's answer
    write_summary   the next summary of a conversation, from an accepted answer
    summary_job     a summary that is due, with what its job needs
    job_limits      which summaries may be written now: back-off after failures, and the share of a key's tokens
"""
