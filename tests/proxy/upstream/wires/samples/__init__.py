"""Sample data of each wire for the conformance test. ``sample`` defines the fields, and ``table`` lists the samples."""
