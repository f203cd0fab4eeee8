"""The providers' wires: what is sent for a chat request and what comes back, as values. Pure, without I/O."""
