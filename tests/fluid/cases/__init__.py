"""Small programs in the names of Paddle 1.8, the same text for the real package (Python 3.7) and
for Oarlock.

Each module is a topic; each function in it whose name starts with `case_` takes the package's
`fluid` and gives a dict or list of
arrays.
`make_golden.py` keeps what real Paddle 1.8.5 gives in `golden/TOPIC.npz`; `test_golden.py`
compares.
"""
