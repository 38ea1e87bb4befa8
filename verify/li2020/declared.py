"""How the rows of this document are declared: for each kind of statement the group of claims that makes its rows.

A file says once what its rows share more: ``of_section_4 = asymptotic_claim.sharing(source="Section 4")``.  Statements are
general unless the name says that an instance or the text itself is meant.
"""

from __future__ import annotations

from fltheory.evidence.declare import sharing
from fltheory.evidence.model import Kind, Scope

algebra_claim = sharing(kind=Kind.ALGEBRA, scope=Scope.GENERAL)
algebra_of_the_text = sharing(kind=Kind.ALGEBRA, scope=Scope.TEXT)
asymptotic_claim = sharing(kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL)
asymptotic_of_an_instance = sharing(kind=Kind.ASYMPTOTIC, scope=Scope.INSTANCE)
definition_claim = sharing(kind=Kind.DEFINITION, scope=Scope.GENERAL)
definition_of_the_text = sharing(kind=Kind.DEFINITION, scope=Scope.TEXT)
expectation_claim = sharing(kind=Kind.EXPECTATION, scope=Scope.GENERAL)
experiment_claim = sharing(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)
identity_claim = sharing(kind=Kind.IDENTITY, scope=Scope.GENERAL)
inequality_claim = sharing(kind=Kind.INEQUALITY, scope=Scope.GENERAL)
lower_bound_claim = sharing(kind=Kind.LOWER_BOUND, scope=Scope.GENERAL)
lower_bound_of_an_instance = sharing(kind=Kind.LOWER_BOUND, scope=Scope.INSTANCE)
probability_claim = sharing(kind=Kind.PROBABILITY, scope=Scope.GENERAL)
qualitative_claim = sharing(kind=Kind.QUALITATIVE, scope=Scope.GENERAL)
qualitative_of_an_instance = sharing(kind=Kind.QUALITATIVE, scope=Scope.INSTANCE)
table_claim = sharing(kind=Kind.TABLE, scope=Scope.GENERAL)
table_of_the_text = sharing(kind=Kind.TABLE, scope=Scope.TEXT)
