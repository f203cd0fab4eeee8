"""Drives compaction through the HTTP interface: real applications or processes, and a provider that follows a script.

    planted            sessions of an agent with planted facts
    extract            a summarizer without a model: it copies the lines that hold planted facts
    provider           the provider on loopback: the model of the conversation, and the model that summarizes
    gateways           turnright in this process, with one configuration for each driver
    needles            how many planted facts reach the provider after several compactions
    random_sessions    sessions that clients edit, rewind and branch
    sent               reads and checks a request as the provider received it
    sessions           such sessions over two replicas: what is sent is sound, and the same on both
    summariser_faults  a summarizer that fails: no request fails or waits
    look_up            the CPU time of the look-up of a memory
    agent              an agent of 60 rounds over two processes, in front of the strict Gemini emulator

The drivers are needles, sessions, summariser_faults, look_up and agent. Each is run as ``python -m
benchmarks.compaction.NAME``, and ``make bench-memory`` runs all of them.
"""
