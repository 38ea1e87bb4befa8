"""``fl.schedules``: step sizes that change.  A plain number is a constant step size."""

from fltheory.algorithms import Annealed, Constant, Harmonic, HarmonicPerRound, li_appendix, li_main_text

__all__ = ["Annealed", "Constant", "Harmonic", "HarmonicPerRound", "li_appendix", "li_main_text"]
