"""Answers on Gemini's own wire, as sent by Gemini models and by servers that copy this wire."""
