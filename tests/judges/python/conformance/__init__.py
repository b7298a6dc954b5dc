"""Does the server keep RFC 6455? Asked by raw frames, right ones and wrong ones, over a plain TCP connection."""
