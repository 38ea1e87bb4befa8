"""Compiled kernels behind the word ``local_sgd``: one file per problem family, and the dispatch that chooses one."""
