"""Write docs/options.md from the table of session options in the C++ runtime.

Run at the root: python -m tests.loader.options_page
"""

from __future__ import annotations

from pathlib import Path

from oarlock.loader.runtime import runtime_module

PAGE = Path(__file__).resolve().parents[2] / "docs" / "options.md"
HEAD = """# Session options

`cpp_runtime/include/oarlock/session_options.inc` declares the options of sessions; this page is
written by `python -m tests.loader.options_page`. Each language has its way to set an option:

- In C++, an option is a member of `oarlock::Options`.
- In C, `oarlock_options_set(options, name, value)` takes the value as text: a bool is `0` or `1`,
  `outputs` appends a name, `warmup` the shapes of one run (`x=1,3,224,224,y=1,5`), `provider.KEY` sets one entry of `provider`, and
  `shape_buckets` is `NAME=SIZE,SIZE`, once per dimension.
- In Python, options are keyword arguments of `paddle.jit.load` and `oarlock.loader.engine.Engine`.
- `oarlock-runner` has `--option NAME=VALUE`, with values as in C; frequent options have flags of
  their own, see `oarlock-runner --help`.

A value out of range makes the creation of the session fail. An unknown name or a value of another
type is an error of `oarlock_options_set` in C, of the creation of the session in Python, and of the
command line in `oarlock-runner`.

| option | type | default | description |
|---|---|---|---|
"""


def page() -> str:
    """The content of docs/options.md."""
    rows = [
        f"| `{name}` | {kind} | {f'`{default}`' if default else ''} | {description} |"
        for name, kind, default, description in runtime_module().session_option_infos()
    ]
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
