"""How the rows of this document are declared: for each kind of statement the group of claims that makes its rows.

A file says once what its rows share more: ``of_lemma_d9 = inequality_claim.sharing(source="Lemma D.9", depends=...)``.
Statements are general, tables are texts, experiments are reruns, unless the name says that an instance is meant.
"""

from __future__ import annotations

from fltheory.evidence.declare import sharing
from fltheory.evidence.model import Kind, Scope

algebra_claim = sharing(kind=Kind.ALGEBRA, scope=Scope.GENERAL)
asymptotic_claim = sharing(kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL)
asymptotic_of_an_instance = sharing(kind=Kind.ASYMPTOTIC, scope=Scope.INSTANCE)
definition_claim = sharing(kind=Kind.DEFINITION, scope=Scope.GENERAL)
definition_of_an_instance = sharing(kind=Kind.DEFINITION, scope=Scope.INSTANCE)
expectation_claim = sharing(kind=Kind.EXPECTATION, scope=Scope.GENERAL)
expectation_of_an_instance = sharing(kind=Kind.EXPECTATION, scope=Scope.INSTANCE)
experiment_claim = sharing(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)
identity_claim = sharing(kind=Kind.IDENTITY, scope=Scope.GENERAL)
identity_of_an_instance = sharing(kind=Kind.IDENTITY, scope=Scope.INSTANCE)
inequality_claim = sharing(kind=Kind.INEQUALITY, scope=Scope.GENERAL)
inequality_of_an_instance = sharing(kind=Kind.INEQUALITY, scope=Scope.INSTANCE)
probability_claim = sharing(kind=Kind.PROBABILITY, scope=Scope.GENERAL)
qualitative_claim = sharing(kind=Kind.QUALITATIVE, scope=Scope.GENERAL)
qualitative_of_an_instance = sharing(kind=Kind.QUALITATIVE, scope=Scope.INSTANCE)
table_claim = sharing(kind=Kind.TABLE, scope=Scope.TEXT)
table_of_an_instance = sharing(kind=Kind.TABLE, scope=Scope.INSTANCE)
