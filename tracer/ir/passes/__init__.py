"""Passes: functions from a program to a program.   None of them changes its argument."""
