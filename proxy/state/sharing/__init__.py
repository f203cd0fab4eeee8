"""Facts that processes exchange through a store, and find again after a restart. Requests never wait.

sources           all exchanges through one store
replica_sync      calls the exchanges, each in its period
shared_cooldowns  cooldowns that providers asked for, and the leases of probes
cooldown_entry    the stored form of a cooldown
shared_lessons    lessons of deployments
lesson_pair       the shared lessons of one deployment and tenant
shared_factor     the token factor of one deployment and tenant
shared_window     one learned window
coded_window      the shared window that a provider's code makes count for all tenants
lesson_values     the stored forms of a factor and of a window
shared_refusals   requests that were refused twice
shared_repairs    the evidence for repairs, by deployment
repair_values     the stored form of this evidence
"""
