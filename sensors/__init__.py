"""The Dagster layer: sensors."""
