"""The Dagster layer: assets."""
