"""The backend on a Redis or Valkey server, which replicas share. It needs the extra ``redis``.

backend          the backend's methods, as pipelines and scripts
accounts         the scripts that change accounts
ledger           the ledger of limits and spend
waiting_work     the work that waits for the ledger's task
limit_scripts    the scripts of the ledger
limit_arguments  their arguments, and the reading of their replies
exchange_spend   writes, reads and restores spend
scripts          runs scripts in pipelines
connections      the connections to the server, which Sentinels may name
connection       one of these connections
host_lookup      looks up the server's name before a connection is made
"""
