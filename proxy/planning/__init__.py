"""Decides what is sent to one deployment, and says every change with its reason. Pure."""
