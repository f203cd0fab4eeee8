"""Sample data of each wire for ``test_protocol``. ``sample`` defines the fields, and ``table`` lists the samples."""
