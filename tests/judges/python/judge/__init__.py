"""A client in Python, written from PROTOCOL.md alone, that a test can tell what to do."""
