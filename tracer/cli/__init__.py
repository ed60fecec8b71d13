"""The `oarlock` command."""
