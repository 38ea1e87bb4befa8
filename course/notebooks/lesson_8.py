"""Lesson 8: Reading a paper critically: three statements, one of them false.  Open with: marimo edit lesson_8.py"""

import marimo

app = marimo.App(app_title="Lesson 8: Reading a paper critically: three statements, one of them false")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 8. Reading a paper critically: three statements, one of them false

About 45 minutes.

## What you will be able to do

- Read a statement as something that can be executed: what would refute it?
- Look for the smallest counterexample, and for the hypothesis that would save the statement.
- Know what a verdict says, and what it does not.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
Here are three statements on heterogeneity, in our words, as they stand in Li et al. (2020) or follow from it.
Let $\Gamma=F^*-\sum_kp_kF_k^*$ be the gap between the minimum of the mean loss and the mean of the clients' own
minima.

- (A) $\Gamma$ is never negative.
- (B) If the clients' data do not have one distribution, $\Gamma$ is not zero.
- (C) FedAvg with a constant step size and several local steps can end at a point that is not the minimiser.

One of them is false. Before you read on: which one, and with how few numbers can you show it?
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
Try to save each. (A): $F^*=\sum_kp_kF_k(w^*)$ and each term is at least $F_k^*$; no hypothesis is needed. (C)
is an existence statement: one example is a proof, and lesson 1 had it. (B) speaks of all clients that differ.
To refute it takes one pair of clients that differ and have $\Gamma=0$. Move the second client's minimiser.
""")
    return


@app.cell
def _(mo):
    a_0 = mo.ui.slider(steps=[0.25, 1.0, 2.0, 4.0], value=2.0, label='curvature a of the second client', show_value=True)
    mo.vstack([a_0])
    return a_0,


@app.cell
def _(a_0, draw):
    draw(8, 0, a=a_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. At $m=0$ the curve touches zero for every $a$: the clients' losses are $\tfrac12w^2$ and $\tfrac
a2w^2$, as different as you like, and $\Gamma=0$. Clients may differ and share their minimiser, as in an
interpolating network. The statement is false as printed; what is true is that $\Gamma=0$ exactly if all clients
share a minimiser of the mean loss.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> The row of the ledger, with its counterexample: **Non-i.i.d. data can have heterogeneity zero: clients may share their minimiser**.

$$
\mathcal{D}_k\ \text{not all equal} \Rightarrow \Gamma \ne 0
$$
>
> Verdict: **wrong as printed** (proof). `fltheory show LI-GAMNON`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
How to read a verdict. *Wrong as printed* comes with a counterexample that you can check by hand and with a
corrected statement that has evidence of its own; it says nothing about the rest of the paper. *Holds* names the
rung: a proof for all parameters, or an evaluation of the instances named. *Holds, hypothesis not printed* is
the commonest fault of published theory: true, with a condition that the page does not show. Errors of
substance are the rarest kind here, and the paper's main theorems hold, with hypotheses that the page does not print.

Now choose a paper of your own and a statement in it, write it as a program with a control that must fail, and
run it: `fltheory claim new my_claims`.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

Clients with losses a/2 (w - m)^2 and b/2 (w - n)^2, weights 1/2 each. Write Gamma in a, b, m, n.
""")
    return


@app.cell
def _():
    def answer(a, b, m, n):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(8, answer)))
    return


if __name__ == "__main__":
    app.run()
