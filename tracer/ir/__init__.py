"""The intermediate representation: programs as plain data, with their text form, verifier, guards
and scopes.
"""

from . import printer  # defines str(program)
