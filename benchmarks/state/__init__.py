"""Measures of the state that outlives a process.

sqlite_writer  a process that writes to an SQLite store and says what was acknowledged
sqlite_kills   the store in an SQLite file, killed in the middle of writing
"""
