"""Python state that captured code reads or changes: sources, guards, snapshots, side effects and
rollback.
"""
