"""``make attack``: hostile requests against the real process, and a table of goals, figures and verdicts.

goals       the rows of the table, with their goals
verdicts    the figures, judged and rendered; pure
child       the processes: the proxy, the fake provider, the prober; what /proc says of them
exchange    one request as bytes over a socket, and its answer
provider    the fake provider's process, its manners and its wires
probe       the prober's process: it measures how long others wait
bodies      hostile bodies as bytes, message_bodies and content_bodies
waiting     others wait behind one request, and waiting_cases
deadlines   a deadline ends a request
stopping    SIGTERM ends the process
keyless     CPU of a request without a key
memory      peak memory of one request
silent      connections that say nothing
browser     requests of web pages
isolation   one client's requests against another's, and shares
"""
