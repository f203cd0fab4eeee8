"""The backend on a Redis or Valkey server, which replicas share. It needs the extra ``redis``.

backend      the backend's methods, as pipelines and scripts
accounts     the scripts that change accounts
limit_scripts  the scripts of the ledger
ledger       the ledger of limits and spend
scripts      runs scripts in pipelines
connections  the connections to the server, which Sentinels may name
connection   one of these connections
host_lookup  looks up the server's name before a connection is made
"""
