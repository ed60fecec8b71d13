"""Passes: functions from a program to a program, which do not change their argument unless their
name says so.
"""
