"""Taking up a changed configuration while requests go on.

    SIGHUP ────────────┐
    the file changed ──┴─▶ read ─▶ validate whole ─▶ get ready ─▶ swap ─▶ told: log, metrics
                                        │ any fault
                                        └─▶ nothing is changed ─────────▶ told: log, metrics

A request takes its gateway once, at its start, and ends on it, so that no request sees two configurations. What an
operator would not want to lose goes from the old gateway to the new one: what deployments taught, which of them are
down, signatures, counts. An entry of ``model_list`` that was edited is another deployment, with a clean record. What
cannot change in a running process stays as it is, and the log says that it takes a restart.
"""
