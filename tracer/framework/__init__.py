"""What Paddle calls its framework: saving and loading of state."""
