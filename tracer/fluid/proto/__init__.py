"""The messages that files of programs are made of, under the name of the folder that has them in
Paddle.
"""
