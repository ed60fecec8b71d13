"""`python -m oarlock` runs the `oarlock` command."""

from .cli.main import app

app(prog_name="oarlock")
