"""What scripts of claims begin and end with: a group of claims for each kind of statement, and :func:`run_script`.

A group says ``kind`` and ``scope`` once for all of its claims.  Statements are general, tables are texts, experiments are reruns,
unless the name says otherwise.  A file makes smaller groups of them for what its own claims share::

    of_lemma_5 = inequality_claim.sharing(source="Lemma 5")
"""

from __future__ import annotations

from fltheory.evidence.declare import sharing
from fltheory.evidence.model import Kind, Scope

algebra_claim = sharing(kind=Kind.ALGEBRA, scope=Scope.GENERAL)
algebra_of_the_text = sharing(kind=Kind.ALGEBRA, scope=Scope.TEXT)
asymptotic_claim = sharing(kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL)
asymptotic_of_an_instance = sharing(kind=Kind.ASYMPTOTIC, scope=Scope.INSTANCE)
definition_claim = sharing(kind=Kind.DEFINITION, scope=Scope.GENERAL)
definition_in_words = sharing(kind=Kind.DEFINITION, scope=Scope.TEXT)
definition_of_an_instance = sharing(kind=Kind.DEFINITION, scope=Scope.INSTANCE)
expectation_claim = sharing(kind=Kind.EXPECTATION, scope=Scope.GENERAL)
expectation_of_an_instance = sharing(kind=Kind.EXPECTATION, scope=Scope.INSTANCE)
experiment_claim = sharing(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)
identity_claim = sharing(kind=Kind.IDENTITY, scope=Scope.GENERAL)
identity_of_an_instance = sharing(kind=Kind.IDENTITY, scope=Scope.INSTANCE)
inequality_claim = sharing(kind=Kind.INEQUALITY, scope=Scope.GENERAL)
inequality_of_an_instance = sharing(kind=Kind.INEQUALITY, scope=Scope.INSTANCE)
lower_bound_claim = sharing(kind=Kind.LOWER_BOUND, scope=Scope.GENERAL)
lower_bound_of_an_instance = sharing(kind=Kind.LOWER_BOUND, scope=Scope.INSTANCE)
probability_claim = sharing(kind=Kind.PROBABILITY, scope=Scope.GENERAL)
qualitative_claim = sharing(kind=Kind.QUALITATIVE, scope=Scope.GENERAL)
qualitative_of_an_instance = sharing(kind=Kind.QUALITATIVE, scope=Scope.INSTANCE)
table_claim = sharing(kind=Kind.TABLE, scope=Scope.TEXT)
table_in_general = sharing(kind=Kind.TABLE, scope=Scope.GENERAL)
table_of_an_instance = sharing(kind=Kind.TABLE, scope=Scope.INSTANCE)


def run_script(file: str) -> None:
    """Run the claims of a script that was started by itself, ``run_script(__file__)``, and exit as ``fltheory verify`` does."""
    from fltheory.evidence.runner import run_script as run

    run(file)
