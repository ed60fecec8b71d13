"""Python state that captured code reads or changes: sources, guards, snapshots and side effects."""
