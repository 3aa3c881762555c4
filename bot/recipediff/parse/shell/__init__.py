"""Command text: a template filled, then split into words as a POSIX shell would, with the place of every character."""
