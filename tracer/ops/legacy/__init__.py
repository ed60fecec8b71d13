"""Families of ops that Paddle 1.x has and Paddle 2 has not, one file per family."""
