"""Show and compare models: `oarlock view` and `oarlock diff`."""
