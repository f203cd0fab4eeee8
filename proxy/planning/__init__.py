"""Decides what is sent to one deployment, and says every change with its reason. Pure.

In the order of the data:

    windows, model_spellings  what a model takes, as the operator, the catalogue or its family say
    turn_policies             the rules of a turn for a model and a key
    guard_turns               the rules of a turn, kept before a request is sent
    plan_target               a deployment, and the rules that hold for a plan
    plan_parameters           the parameters that a deployment takes
    clean_tools               the tools, as a provider's schema dialect wants them
    signatures                thought signatures, put back in their places
    budgets                   a history that is too long, made to fit
    prepare_request           one request made legal and fitting
    plan                      the whole plan of one attempt, and its changes
    repairs                   the one change that a refused request gets
    corrective_note           the note to the model about a call that cannot be used
    dry_run                   a plan that is shown and not sent
    preview                   what happens to requests of each model, before there is one
"""
