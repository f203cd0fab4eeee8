"""The store outside this process: a server or a file behind this process's memory. No failure of it reaches a request.

external_store   the store, which the rest of the proxy uses
backend          the interface of a server or a file that keeps bytes
guarded_backend  limits, a circuit and a ping around a backend
store_circuit    the circuit's decisions
reply_limit      a time limit for a reply, which still reads a reply that came while the loop was busy
write_behind     writes in batches, behind the requests
write_queue      the writes that wait
sealed_entries   the names and the values of entries in a backend
store_secret     the secret of a store, on which its processes agree
"""
