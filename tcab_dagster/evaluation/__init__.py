"""Evaluation: what the verdicts of a run are worth.

Belongs here: scores, gating, and the statistics over many runs, as pure functions over the
catalog's points. Does not: how a verdict is found (validation/) or where scores are queried
(warehouse/). Concept: docs/scores.md.
"""

from tcab_dagster.evaluation.score import Score, VerdictMismatch, gating_failures, score_auto

__all__ = ["Score", "VerdictMismatch", "gating_failures", "score_auto"]
