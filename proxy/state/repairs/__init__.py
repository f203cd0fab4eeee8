"""Repairs that are learned: the evidence for each, and the repairs that are made in advance because of it.

    repair_key       the name of a repair, and a repair that is made in advance
    evidence         one client's evidence for one repair, with its decay and its confidence
    repair_table     the evidence of all clients for one deployment
    learned_repairs  the tables of all deployments

The evidence decides when a repair is made, and never what it changes: the rows of the repair table do that
(:mod:`proxy.planning.repairs`).
"""
