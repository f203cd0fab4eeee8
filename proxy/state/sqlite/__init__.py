"""The backend in an SQLite file, which one process uses at a time.

backend   the backend's methods
thread    the thread that owns the database
database  the open database, and its recovery from failures
entries   the entries in the table: read, written, swept, evicted
ledger    the ledger of limits and spend
accounts  the entries of one client, within bounds
schema    the table and the settings of the file
file      the files of a store: created, locked, set aside
"""
