"""Static graph programs: the views that users see, and the mode that records them."""
