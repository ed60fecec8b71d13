"""Programs written by hand: what users see of them, and the mode that writes them."""
