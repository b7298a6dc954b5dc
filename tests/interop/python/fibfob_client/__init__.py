"""A Python client written from PROTOCOL.md alone, driven by commands on stdin."""
