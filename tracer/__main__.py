"""`python -m oarlock` is `oarlock`."""

from .cli.main import app

app(prog_name="oarlock")
