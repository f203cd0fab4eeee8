"""Learned repairs: the names of repairs that worked, and the repairs that are made before a request is sent.

    features           the part of a request that a repair is learned for
    repair_words       the phrases of the repair table under which a repair is learned, and their way back to the rows
    own_phrases        the phrases of an error that are the provider's own, and no quotation of the request
    name_repairs       names the repairs of a refused request, without those that only quoted words asked for
    repair_in_advance  makes learned repairs in a plan

The repair table has the rows (:mod:`proxy.planning.repairs`), and the state has the evidence
(:mod:`proxy.state.repairs`). A learned repair changes exactly what the repair after a refusal would change.
"""
