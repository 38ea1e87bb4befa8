"""Questions that put theory and a user's problem side by side: which bounds apply, and what they say there."""
