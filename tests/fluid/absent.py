"""Names of Paddle 1.8.5 that Oarlock does not have: module -> name -> why."""

ABSENT: dict[str, dict[str, str]] = {}
