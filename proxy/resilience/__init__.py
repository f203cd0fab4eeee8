"""From a failed attempt to what happens next: read the error, find its row, decide. Pure but for the clock's reader.

unwrap_error, read_delay, read_overflow, read_error   the provider's words as facts
failure_table                                         one row for one kind of failure
decide_action, back_off                               retry, repair, fall back or give up, and when
"""
