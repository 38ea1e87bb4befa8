"""Limits of what is read from files, in one place: what exceeds them is refused at once, in one line.

The verifiers of worst cases and boxes stand alone and repeat theirs (``MOST_BYTES``, ``MOST_DIGITS``, ``MOST_WORK``); a test
compares them with these.  What the package itself writes stays far below all of them.
"""

from __future__ import annotations

#: Bytes of a certificate's file.
CERTIFICATE_BYTES = 4_000_000
#: Digits of a number in a certificate or on the command line.
DIGITS = 1000
#: Bytes of an IDX file once unpacked (MNIST has 47 million).
IDX_BYTES = 1_000_000_000
#: Characters of one expression in a kept certificate (the longest has 1,183), and of one exponent's or number's binary digits.
EXPRESSION_CHARACTERS, EXPRESSION_BITS = 20_000, 20_000
#: Terms that an expression may have when it is expanded (the largest has 64,064), by a bound from its degrees.
EXPRESSION_TERMS = 500_000
#: A whole power in an expression.
POWER = 10_000
