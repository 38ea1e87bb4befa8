"""The algorithms that code can be held against, a file each."""
