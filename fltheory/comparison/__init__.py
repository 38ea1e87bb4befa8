"""Methods compared at the same points: certified worst cases, published bounds, and the rankings that both make."""

from fltheory.comparison.answer import ComparisonRow as ComparisonRow
from fltheory.comparison.answer import MethodComparison as MethodComparison
from fltheory.comparison.answer import RatePair as RatePair
from fltheory.comparison.entry import compare as compare
