"""Let programs that import `paddle` run on Oarlock."""
