"""The words of the command line, a module per group of them.  Only click is imported before a word is called."""
