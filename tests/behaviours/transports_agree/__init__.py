"""Tests that both transports send each provider the same requests, and read its answers and errors alike.

targets      the models of each row of :mod:`proxy.config.providers`
requests     parameters and histories
sending      a recording server, and both transports
differences  the table of intended differences
answering    a server with one recorded answer, and the whole proxy before it
odd_answers  the recorded answers
refusals     the recorded errors
"""
