"""Programs: what a model is when it is written down - data, text, checks, recording, and running it op by op."""
