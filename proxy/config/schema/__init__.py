"""The sections of a configuration, one frozen model each. ``settings.Settings`` puts them together."""
