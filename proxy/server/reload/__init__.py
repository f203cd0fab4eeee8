"""Applies a changed configuration while requests go on.

    SIGHUP ────────────┐
    the file changed ──┴─▶ read ─▶ validate whole ─▶ prepare ─▶ swap ─▶ report: log, metrics
                                        │ any fault
                                        └─▶ nothing is changed ────────▶ report: log, metrics

A request takes its gateway once, at its start, and keeps it, so that no request sees two configurations. The new
gateway inherits the state of the old one: learned windows, circuits, signatures, counts. An edited entry of
``model_list`` is a new deployment. It inherits only learned windows, if its model, address and limits are unchanged.

A setting that cannot change in a running process keeps its value, and the log names it as needing a restart.
"""
