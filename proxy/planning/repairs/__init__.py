"""What a refused request is changed to, once, by the provider's own words. Pure.

repair_table     which words lead to which repair
repair_request   reads the words, makes the repairs, says what changed
the others       one repair each

A repair is made only when it changes what is sent: a request that was refused is refused again (livekit agents-js#2108
sent one three times and went silent). What is changed is named, and what a user said is never lost.
"""

from proxy.planning.repairs.repair_request import Repaired, repair_request

__all__ = ["Repaired", "repair_request"]
