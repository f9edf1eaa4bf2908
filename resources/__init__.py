"""The Dagster layer: resources."""
