"""Values and mechanics that several rooms share. Nothing here is a rule of the product.

The files:

    clients         who is asking: the name under which scarce things are shared
    tenant_lru      a bounded map in which no tenant pushes out what others have
    fair_queue      the order in which clients get a worker thread
    worker_threads  those threads
    offload         CPU work on large bodies, run in one of them
    fair_turns      the order in which waiting clients get scarce places
    fair_places     the same for coroutines that wait
    memory_limit    the memory that the process may take, as its cgroup or the machine has it
    json_size       the memory that decoding a JSON body takes, estimated from its bytes
    unpack_body     gzip and deflate, bounded
    close_unread    the end of a connection whose request was refused before its body was read
"""
