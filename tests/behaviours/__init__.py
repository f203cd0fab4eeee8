"""What the whole proxy owes, whichever modules do it: deadlines, isolation, linear work, streams of all shapes."""
