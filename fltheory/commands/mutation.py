"""The word ``mutate``: bounds changed on purpose, and whether their rows notice."""

from __future__ import annotations

from typing import Any

import click

from fltheory.commands.parameters import Seconds, telling


@click.command()
@click.argument("target", metavar="[ID|DOCUMENT|BOUND|all]", default="all")
@click.option("--sample", type=click.IntRange(min=1), help="Only so many mutants, drawn from all of them.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draw.")
@click.option(
    "--displays", is_flag=True, help="The displays of the wings as well, not only the bounds of fltheory.theory."
)
@click.option("--timeout", type=Seconds(), default=60.0, show_default=True, help="Seconds for the rows of one mutant.")
@click.option(
    "--write",
    is_flag=True,
    help="Keep the score of all statements, or of a document's, in results/mutation/statements.json.",
)
@click.option("--anew", is_flag=True, help="With --write: also what is kept and has not changed since.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes, default one per core.")
@click.pass_context
def mutate(ctx: click.Context, /, target: str, **options: Any) -> None:
    """Change every number of a bound, drop its hypotheses, and see whether its own rows notice.

    Without an argument, as with 'all', every bound of all documents is changed; that takes minutes.

    A mutant is noticed if a row of the bound refutes it, no longer proves it or judges it otherwise.  One that the bound as it
    stands implies is true and weaker; one that passes because the row knows that its constant is loose is told apart.

    Exit codes: 0 no survivor; 1 survivors; 2 usage; 3 some were not decided in time, or interrupted.
    """
    from fltheory.evidence.ids import documents
    from fltheory.mutation.kept import KEPT, Scores, digest_of
    from fltheory.mutation.score import MutationPlan

    if options["write"] and (target not in ("all", *documents()) or options["sample"]):
        raise click.UsageError(
            "--write keeps the score of all mutants: it goes with 'all' or a document and without --sample"
        )
    if options["anew"] and not options["write"]:
        raise click.UsageError("--anew goes with --write")
    click.echo("looking for bounds; Ctrl-C stops", err=True)
    tell = telling()
    try:
        drawn = {name: options[name] for name in ("displays", "sample", "seed")}
        plan = MutationPlan.of(target, **drawn, progress=tell)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    scores, rows = Scores(), {}
    if options["write"]:
        from fltheory.evidence.places import writable_results
        from fltheory.evidence.store import read_evidence

        results = writable_results()
        scores, rows = Scores(results / KEPT, "" if target == "all" else target), read_evidence(results.parent)
        if not options["anew"]:
            plan = plan.without(lambda one: scores.known(one, digest_of(one, rows)))
    for number, (statement, fates) in enumerate(plan.run(seconds=options["timeout"], processes=options["jobs"]), 1):
        scores.add(statement, digest_of(statement, rows), fates)
        scores.write(finished=number == len(plan.parts))
        finished = sum(len(mutants) for _, mutants in plan.parts[:number])
        tell(f"{number} of {len(plan.parts)} statements, {finished} mutants")
        for fate in fates:
            if fate.word != "noticed":
                click.echo(
                    f"{fate.word:<22} {statement.document}:{statement.name}  {fate.mutant.words}  [{fate.reason}]"
                )
    for line in scores.lines:
        click.echo(line)
    if options["write"]:
        scores.write()
        click.echo(f"written: {KEPT.name}")
    ctx.exit(scores.exit_code)
