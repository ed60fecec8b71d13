"""Passes: functions from a program to a program. A pass does not change its argument unless
its name ends in `_in_place`.
"""
