"""Lesson 5: The worst function, drawn.  Open with: marimo edit lesson_5.py"""

import marimo

app = marimo.App(app_title="Lesson 5: The worst function, drawn")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 5. The worst function, drawn

About 45 minutes.

## What you will be able to do

- Meet the function on which gradient descent is slowest, and see why.
- Compare the textbook rate with the exact one.
- Let the package find and run a worst instance.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
Without strong convexity a gradient step may hardly move: where the function is flat, gradients are small. Too
flat does no harm, since then the gap is small as well. The worst function is flat in just the wrong amount. It
is a parabola near its minimiser and a straight line outside, named after Huber: $h(w)=\tfrac12w^2$ for
$|w|\le\tau$, and $\tau|w|-\tfrac12\tau^2$ beyond.
""")
    return


@app.cell
def _(mo):
    N_0 = mo.ui.slider(steps=[1.0, 2.0, 5.0, 10.0], value=2.0, label='gradient steps N', show_value=True)
    eta_0 = mo.ui.slider(steps=[0.25, 0.5, 1.0], value=0.5, label='step size (L = 1)', show_value=True)
    mo.vstack([N_0, eta_0])
    return N_0, eta_0


@app.cell
def _(N_0, draw, eta_0):
    draw(5, 0, N=N_0.value, eta=eta_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
On it, from $w_0=1$, every one of $N$ steps has the gradient $\tau$, and with $\tau=1/(2N\eta+1)$ the run ends
in the middle of the slope at $w_N=1-N\eta\tau$. A larger slope would bring the run further down, a smaller one
leaves less to lose. The more steps the method has, the flatter its worst function.
""")
    return


@app.cell
def _(mo):
    eta_1 = mo.ui.slider(steps=[0.25, 0.5, 1.0], value=0.5, label='step size (L = 1)', show_value=True)
    mo.vstack([eta_1])
    return eta_1,


@app.cell
def _(draw, eta_1):
    draw(5, 1, eta=eta_1.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. The certified points lie on the first curve: no convex 1-smooth function of any dimension, with
any number of clients that share it, is worse than Huber's. The textbook's proof gives more than twice as much, for all
$N$. Drori and Teboulle (2014) found this by solving semidefinite programmes first and guessing the function
afterwards, as you can:
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> A printed inequality that functions found in this way refute: **In a round of twelve local steps the objective can decrease by less than is printed**.

$$
\tau\ge3:\quad \mathbb{E}\left[F(u_{t+1})-F(u_t)\right] \le \frac{L^{2} \sum_{i=1}^m\sum_{j=0}^{\tau-1}\mathbb{E}\|x^i_{t,j}-u_t\|^2 \eta}{2 m} + \frac{L \eta^{2} \sigma^{2} \tau}{2 m} - \frac{\mathbb{E}\|\nabla F(u_t)\|^2 \eta \tau}{2}
$$
>
> Verdict: **wrong as printed** (exact). `fltheory show LA-EQ19.2`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
`answer = fl.worst_case(fl.FedAvg(1, 0.5), fl.SmoothConvex(1), rounds=2, measure="gap")` and `fl.plot(answer)`
draw the loss that the solver found; `answer.instance().run(fl.FedAvg(1, 0.5), rounds=2)` runs the method on it.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

Gap after N steps of size eta on the worst function (L = 1, from distance 1). A formula in N and eta.
""")
    return


@app.cell
def _():
    def answer(N, eta):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(5, answer)))
    return


if __name__ == "__main__":
    app.run()
