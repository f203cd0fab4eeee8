"""The repair table, which maps texts of providers' errors to repairs.

A row fits an error whose text contains one of ``says``, and one of ``beside`` where the row has any. Texts are compared
in lower case, with the error's words and its codes. The texts are the most specific ones that the reports share, since
a provider may quote the request. Each text was seen word for word in a report.

Rows of one ``fault`` are alternatives. The first that changes something counts. Rows of different faults are all
applied where an error names them. Repairs within messages come before repairs of turns, since the former may change
turns.

The rows stand in :mod:`proxy.planning.repairs.message_rows`, :mod:`proxy.planning.repairs.parameter_rows`,
:mod:`proxy.planning.repairs.turn_rows` and :mod:`proxy.planning.repairs.wire_rows`.
"""

from __future__ import annotations

from proxy.planning.repairs.message_rows import MESSAGE_ROWS
from proxy.planning.repairs.parameter_rows import PARAMETER_ROWS
from proxy.planning.repairs.repair_row import Row
from proxy.planning.repairs.turn_rows import TURN_ROWS
from proxy.planning.repairs.wire_rows import WIRE_ROWS

TABLE: tuple[Row, ...] = MESSAGE_ROWS + PARAMETER_ROWS + TURN_ROWS + WIRE_ROWS
"""Every row, in the order in which the repairs are made."""
