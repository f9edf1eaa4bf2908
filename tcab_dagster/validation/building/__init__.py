"""Install and build of a tree in a sandbox of its own, and whose fault a failure is.

Belongs here: everything up to a built site. Does not: the browser. Concept: docs/validation.md,
"Install and build".
"""
