"""Lesson 1: FedAvg as an affine map, and where it ends.  Open with: marimo edit lesson_1.py"""

import marimo

app = marimo.App(app_title="Lesson 1: FedAvg as an affine map, and where it ends")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 1. FedAvg as an affine map, and where it ends

About 45 minutes.

## What you will be able to do

- See a round of FedAvg on quadratic losses as one affine map.
- Find its fixed point, and see that it is not the minimiser once clients make several steps.
- Know the two limits: one local step, and infinitely many.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
Two clients hold the losses $F_1(w)=\tfrac12(w-1)^2$ and $F_2(w)=\tfrac a2(w+1)^2$, with equal weights. A
gradient step with step size $\eta$ moves the first client from $x$ to $x-\eta(x-1)$: its distance from its own
minimiser $1$ shrinks by the factor $1-\eta$, for the second client by $1-a\eta$ around $-1$. After $E$ steps
from the server's model $w$ the clients stand at

- $x_1=1+(1-\eta)^E(w-1)$
- $x_2=-1+(1-a\eta)^E(w+1)$

and the server takes their mean. That is an affine map of $w$: a slope times $w$ plus a constant. A round of
FedAvg on any quadratic losses is such a map, with a matrix in place of the slope. Where its eigenvalues lie
inside the unit circle the rounds converge, and they converge to its fixed point.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
The fixed point is where both clients' moves cancel: $(1-(1-\eta)^E)(1-w)=(1-(1-a\eta)^E)(1+w)$. With one local
step the factors are $\eta$ and $a\eta$, the step size drops out, and what is left is the condition that the
mean gradient is zero. With more steps it is another condition. Move the sliders.
""")
    return


@app.cell
def _(mo):
    E_0 = mo.ui.slider(steps=[1.0, 2.0, 5.0, 10.0, 20.0], value=5.0, label='local steps E', show_value=True)
    a_0 = mo.ui.slider(steps=[0.1, 0.25, 0.5, 1.0], value=0.25, label='curvature a of the second client', show_value=True)
    mo.vstack([E_0, a_0])
    return E_0, a_0


@app.cell
def _(E_0, a_0, draw):
    draw(1, 0, E=E_0.value, a=a_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. With $E=1$ both curves are one line: gradient descent has no bias. With $E=20$ and a step size
near 1 the clients walk to their own minimisers, and FedAvg ends near their mean, $0$, whatever the curvatures
are. In between the bias grows in proportion to $\eta(E-1)$ for small steps. With equal curvatures, $a=1$, there
is none at all: the clients differ, and yet their moves stay in proportion.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> Li et al. (2020) show on a tridiagonal problem that the bias is of this order: **With large fixed steps FedAvg does not converge at all, as the sentence says it does**.
>
> Verdict: **ambiguous** (steps). `fltheory show LI-THM4`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
In Python: `fl.fixed_point(problem, fl.FedAvg(5, 0.1))` gives the fixed point of any quadratic problem, with
`exact=True` in rational numbers; `fl.round_map` gives the map itself.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

Two local steps, E = 2. Write the fixed point as a formula in eta and a.
""")
    return


@app.cell
def _():
    def answer(eta, a):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(1, answer)))
    return


if __name__ == "__main__":
    app.run()
