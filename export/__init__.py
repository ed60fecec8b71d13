"""From a program and its values to files: `.pdmodel`, `.pdiparams`, `.pdiparams.info`."""
