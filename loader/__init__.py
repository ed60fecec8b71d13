"""Read files into programs and values. A file is validated completely before any of it is used."""
