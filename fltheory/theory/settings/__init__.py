"""Settings: what is known of a problem, a method and a run, number by number, each with the way it is known."""

from fltheory.theory.settings.setting import RateSetting as RateSetting
