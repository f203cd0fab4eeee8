"""Decides what is sent to one deployment, and lists every change with its reason. Nothing here sends a request.

The modules, in the order in which a request passes through them:

    windows, model_spellings  a model's window, from the operator, litellm's table or the model's family
    prices                    a model's prices, from the operator and litellm's table, and the cost of a request
    override_policies         the policy for a model and a key, where a section has overrides
    turn_policies             the turn guard's limits for a model and a key
    instruction_policies      the operator's instructions for a deployment and a key
    guard_turns               applies the turn guard before a request is sent
    plan_target               a deployment, and the rules that a plan follows
    apply_defaults     the default parameters of a deployment
    limit_output              lowers an answer's limit to the model's own, for some clients
    answer_room               lowers it where the provider says that the prompt fits without it
    plan_parameters           chooses the parameters that a deployment takes
    clean_tools               rewrites tool schemas in a provider's dialect
    signatures                puts thought signatures back on the calls of a history
    budgets                   cuts a history that is too long
    compact                   puts a memory in place of a long history's older messages
    limit_blocks              the numbers of cache marks and of media in one request
    prepare_request           makes one request legal
    add_instructions          the operator's instructions before a history
    texts_beside_calls        an empty text beside calls, for templates that cannot read null
    claude_fields             leaves out what only Claude reads, for other models
    native_items              writes it as items of the Responses API
    suit_thinking             the kind of thinking that a Claude has
    mend_fields               fields of a Messages request that Anthropic would refuse
    native_messages           writes it as messages of Anthropic's API
    native_contents           writes it as contents of Gemini's own API
    native_formats            the formats of clients that providers may be asked in
    native_requests           the report of a request that goes out in the client's own format
    provider_needs            the deployments that may serve what a request needs of its provider
    plan                      plans one attempt, and lists its changes
    repairs                   changes a refused request once, by the provider's words
    client_places             the places of the client's messages in a provider's error
    learned                   makes repairs that were learned before a request is sent
    corrective_note           the note that tells the model about an unusable call
    dry_run                   a plan that is shown and not sent
    describe_dry_run          a dry run as JSON-ready values
    preview                   the rules and limits of each configured model
    probe                     what to ask a provider about its rules, and what its replies mean
"""
