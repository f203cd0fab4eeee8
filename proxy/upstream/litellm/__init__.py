"""Asks providers through litellm, which ``transport`` alone imports.

In the order of the data:

environment             the settings of litellm, before it is imported
messages, tools         histories and tools as litellm passes them on
embeddings              the arguments of a call for embeddings
loop                    an event loop of its own for large calls
clients, cookies        its HTTP clients, with bounded errors and without cookies
errors                  its errors as ours
transport               the calls, from all of these
"""
