"""Small programs with control flow: each is run eagerly, as a program, from files, by the runner,
and by real Paddle.
"""
