"""How the rows of this document are declared: for each kind of statement the decorator that makes its row.

Statements are general, tables are texts, experiments are reruns, unless the name says that an instance is meant.
"""

from __future__ import annotations

from functools import partial

from fltheory.evidence.model import Kind, Scope, claim

algebra_claim = partial(claim, kind=Kind.ALGEBRA, scope=Scope.GENERAL)
asymptotic_claim = partial(claim, kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL)
asymptotic_of_an_instance = partial(claim, kind=Kind.ASYMPTOTIC, scope=Scope.INSTANCE)
definition_claim = partial(claim, kind=Kind.DEFINITION, scope=Scope.GENERAL)
definition_of_an_instance = partial(claim, kind=Kind.DEFINITION, scope=Scope.INSTANCE)
expectation_claim = partial(claim, kind=Kind.EXPECTATION, scope=Scope.GENERAL)
expectation_of_an_instance = partial(claim, kind=Kind.EXPECTATION, scope=Scope.INSTANCE)
experiment_claim = partial(claim, kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)
identity_claim = partial(claim, kind=Kind.IDENTITY, scope=Scope.GENERAL)
identity_of_an_instance = partial(claim, kind=Kind.IDENTITY, scope=Scope.INSTANCE)
inequality_claim = partial(claim, kind=Kind.INEQUALITY, scope=Scope.GENERAL)
inequality_of_an_instance = partial(claim, kind=Kind.INEQUALITY, scope=Scope.INSTANCE)
probability_claim = partial(claim, kind=Kind.PROBABILITY, scope=Scope.GENERAL)
qualitative_claim = partial(claim, kind=Kind.QUALITATIVE, scope=Scope.GENERAL)
qualitative_of_an_instance = partial(claim, kind=Kind.QUALITATIVE, scope=Scope.INSTANCE)
table_claim = partial(claim, kind=Kind.TABLE, scope=Scope.TEXT)
table_of_an_instance = partial(claim, kind=Kind.TABLE, scope=Scope.INSTANCE)
