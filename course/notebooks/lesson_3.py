"""Lesson 3: Rates: local steps against step size, and how loose bounds are.  Open with: marimo edit lesson_3.py"""

import marimo

app = marimo.App(app_title="Lesson 3: Rates: local steps against step size, and how loose bounds are")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 3. Rates: local steps against step size, and how loose bounds are

About 45 minutes.

## What you will be able to do

- Read a rate theorem as a function of the rounds, with all its constants.
- Compare it with the gap that is there, computed without simulation.
- Turn a bound into a number of steps, and see what that number is worth.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
Theorem 1 of Li et al. (2020) bounds the expected gap of FedAvg after $T$ local steps with step sizes
$\eta_t=\frac{2}{\mu(\gamma+t)}$, $\gamma=\max\{8L/\mu,E\}$. It has the form of a constant over $\gamma+T$. The
constant grows with $E^2G^2$, where $G$ bounds the gradients: more local steps between averagings, more drift.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> The theorem, as it was checked: **FedAvg with all clients has error of order 1/T with the appendix's step sizes too**.
>
> Verdict: **holds, hypothesis not printed** (proof). `fltheory show LI-THM1`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
A bound is a promise for every problem that satisfies its hypotheses. How much of it is slack on one problem?
Quadratic losses let us answer exactly: the moments of a round are known in closed form.
""")
    return


@app.cell
def _(mo):
    E_0 = mo.ui.slider(steps=[1.0, 2.0, 5.0, 10.0], value=2.0, label='local steps E', show_value=True)
    mo.vstack([E_0])
    return E_0,


@app.cell
def _(E_0, draw):
    draw(3, 0, E=E_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. The bound falls like $1/R$, as the theorem says. Here the gap falls faster: with exact gradients
what is left at step $t$ is the bias of the local steps, in proportion to $\eta_t$, and the gap is its square, of
order $1/R^2$; with one local step there is no bias, and it falls faster still. A theorem that covers noise cannot
promise that. The constants are loose as well: the printed bound lies orders of magnitude above the gap. A sharper
lemma, which the checks of this package found, takes away a part of that. And the printed bound gets worse with $E$
at every number of rounds, while the gap gets better over the first hundred: a bound that is loose in $E$ cannot
tell how many local steps to take. For that, ask for exact moments: `fl.plan`.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
In Python: `print(fl.applicable(problem, method, rounds=200))` says for every published theorem whether its
hypotheses hold here, what it promises, and how many times the truth that is.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

A bound says that the gap after T steps is at most C/(gamma + T). How many steps T make the bound eps? A formula in C, gamma, eps.
""")
    return


@app.cell
def _():
    def answer(C, gamma, eps):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(3, answer)))
    return


if __name__ == "__main__":
    app.run()
