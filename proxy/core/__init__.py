"""Values and mechanics that several rooms share. Nothing here is a rule of the product.

The files:

    clients         who is asking: the name under which scarce things are shared
    tenant_lru      a bounded map in which no tenant pushes out what others have
    offload         CPU work on large bodies, run in a worker thread
    worker_threads  those threads
    fair_queue      the order in which clients get one
    fair_turns      the order in which waiting clients get scarce places
    fair_places     the same for coroutines that wait
"""
