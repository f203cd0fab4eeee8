"""Plans a chat for each attempt, forwards it, and answers it whole or as a stream.

- plan_attempts: the plan of each attempt
- conversation_memory: the look-up of a long conversation's memory, and the summary that is due
- find_memory: the same look-up for a request that is not sent
- commission_summaries: summaries that are written in the background
- ask_summarizer: the calls to the summarizing model
- repair_plan: the plan after a provider's error
- forward_chat: one request from its plan to its answer
- answer_whole: the attempts of a chat that is answered whole
- stream_chat: one request from its plan to its streamed answer
- answer_signatures: thought signatures, stored under the ids that the client gets
- answer_thoughts: Claude's thoughts, stored with their places and loaded again
- correct_answer: tool calls that are mended, or asked for again
- gate_answer: tool calls that the turn guard holds back
"""
