"""Lesson 7: Layers that are averaged rarely, and elastic averages.  Open with: marimo edit lesson_7.py"""

import marimo

app = marimo.App(app_title="Lesson 7: Layers that are averaged rarely, and elastic averages")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 7. Layers that are averaged rarely, and elastic averages

About 45 minutes.

## What you will be able to do

- Count what is sent when layers are averaged at intervals of their own (FedLAMA).
- See what a factor on the aggregated update does to a round (elastic aggregation).
- Judge a saving together with what it costs in convergence.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
FedLAMA (Lee et al., 2021) averages some layers every $\tau$ local steps and the others every $\varphi\tau$. If
the rarely averaged layers hold a share $s$ of all parameters, the network carries them $\varphi$ times less
often. Which layers may wait is decided by how far the clients' copies have drifted apart.
""")
    return


@app.cell
def _(mo):
    phi_0 = mo.ui.slider(steps=[2.0, 3.0, 4.0, 6.0], value=3.0, label='factor phi of the long interval', show_value=True)
    mo.vstack([phi_0])
    return phi_0,


@app.cell
def _(draw, phi_0):
    draw(7, 0, phi=phi_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. The saving is bounded by the share: with half of the parameters it never exceeds a half, however
long the interval. And it is a saving per local step. What matters is what is sent until the loss is small, and
the long interval adds drift. The ledger holds a re-run of the paper's tables on data that can be had, and says
how far it is from them.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> A claim on the discrepancy that FedLAMA tolerates; one reading of it fails: **After the common synchronisation both total discrepancies are zero**.
>
> Verdict: **wrong as printed** (proof). `fltheory show LA-TOTDISC`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
Elastic aggregation (Chen et al., 2023) multiplies the aggregated update by a factor $\zeta$, for each parameter
its own, small where the loss is sensitive. Take one coordinate of curvature 1 and local steps of size $a$. $E$
local steps shrink the error by $(1-a)^E$; the server goes $\zeta$ times as far.
""")
    return


@app.cell
def _(mo):
    E_1 = mo.ui.slider(steps=[1.0, 5.0, 20.0], value=5.0, label='local steps E', show_value=True)
    a_1 = mo.ui.slider(steps=[0.05, 0.1, 0.5], value=0.1, label='step size times curvature', show_value=True)
    mo.vstack([E_1, a_1])
    return E_1, a_1


@app.cell
def _(E_1, a_1, draw):
    draw(7, 1, E=E_1.value, a=a_1.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. An elasticity below 1 slows a coordinate down, one above 1 extrapolates; beyond 2 divided by the
local progress the factor passes $-1$ and rounds diverge. A factor for each parameter does not move the fixed
point of one client, but for clients that differ it weighs coordinates, and read off the cohort it biases the
mean update (`fltheory show EL-ALG3-OMIT`).
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

A round of E local steps of size a on the loss w^2/2, then elasticity zeta. By which factor does the error shrink? In zeta, a, E.
""")
    return


@app.cell
def _():
    def answer(zeta, a, E):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(7, answer)))
    return


if __name__ == "__main__":
    app.run()
