"""The kinds of claims that documents make, as groups: each one says ``kind`` and ``scope`` once for all of its claims.

Statements are general, tables are texts, unless the name says otherwise.  A file makes smaller groups of them for what its
own claims share::

    of_lemma_5 = inequality_claim.sharing(source="Lemma 5")
"""

from __future__ import annotations

from fltheory.evidence.declare import sharing
from fltheory.evidence.model import Kind, Scope

algebra_claim = sharing(kind=Kind.ALGEBRA, scope=Scope.GENERAL)
asymptotic_claim = sharing(kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL)
definition_claim = sharing(kind=Kind.DEFINITION, scope=Scope.GENERAL)
definition_in_words = sharing(kind=Kind.DEFINITION, scope=Scope.TEXT)
expectation_claim = sharing(kind=Kind.EXPECTATION, scope=Scope.GENERAL)
identity_claim = sharing(kind=Kind.IDENTITY, scope=Scope.GENERAL)
inequality_claim = sharing(kind=Kind.INEQUALITY, scope=Scope.GENERAL)
lower_bound_claim = sharing(kind=Kind.LOWER_BOUND, scope=Scope.GENERAL)
qualitative_claim = sharing(kind=Kind.QUALITATIVE, scope=Scope.GENERAL)
qualitative_of_an_instance = sharing(kind=Kind.QUALITATIVE, scope=Scope.INSTANCE)
table_claim = sharing(kind=Kind.TABLE, scope=Scope.TEXT)
