"""Programs that run on Oarlock and on real Paddle, with what real Paddle returned.

A folder for each family of programs: its modules; `paddle_2_6_2.json` or `paddle_1_8_5.json` with
what that version of real Paddle returned; `different.py` with the differences that are meant, and
`oarlock.json` with what Oarlock returns for those. `table.py` says how programs are run and
described. This package imports none of its families: Python 3.7 reads `fluid_1_8` only.
"""
