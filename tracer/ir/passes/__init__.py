"""Passes: functions from a program to a program. A pass whose name ends in `_in_place` changes its
argument; other passes return a new program.
"""
