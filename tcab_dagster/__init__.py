"""The domain: everything tcab does, callable without Dagster.

Belongs here: one room per concept (see docs/architecture.md). Does not: anything that
imports dagster, save `definitions.py`, the composition root.
"""
