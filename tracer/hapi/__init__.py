"""Training with few words: Model, callbacks, summaries."""
