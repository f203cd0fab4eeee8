"""Plans a chat for each attempt, forwards it, and answers it whole or as a stream.

- plan_attempts: the plan of each attempt
- repair_plan: the plan after a provider's error
- forward_chat: one request from its plan to its whole answer
- stream_chat: one request from its plan to its streamed answer
- answer_signatures: thought signatures, stored under the ids that the client gets
- correct_answer: tool calls that are mended, or asked for again
- gate_answer: tool calls that the turn guard holds back
"""
