"""From files to programs and values.

A file is judged once, whole, before anything in it is used.
"""
