"""Write programs and values to files: `.pdmodel`, `.pdiparams`, `.pdiparams.info`."""
