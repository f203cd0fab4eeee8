"""The messages of Anthropic's Messages API, as chat messages and back.

project             a request's messages as chat messages, with the places of the messages
"""
