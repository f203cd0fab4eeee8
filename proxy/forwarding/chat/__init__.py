"""A chat: planned for each attempt, forwarded, and answered whole or as a stream.

plan_attempts      the plan of each attempt
forward_chat       one request from its plan to its answer
stream_chat        the same as a stream
answer_signatures  signatures that are kept and given to the client
correct_answer     tool calls that are mended, or asked for again
gate_answer        calls that a turn may not make any more
"""
