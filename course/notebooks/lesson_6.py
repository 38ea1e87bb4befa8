"""Lesson 6: Mixing two objectives: Parallel Training and Gradient Transfer.  Open with: marimo edit lesson_6.py"""

import marimo

app = marimo.App(app_title="Lesson 6: Mixing two objectives: Parallel Training and Gradient Transfer")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 6. Mixing two objectives: Parallel Training and Gradient Transfer

About 45 minutes.

## What you will be able to do

- Set up a mixed problem: a loss of the clients and one of the server.
- See the bias of training both in parallel, and how transferring a gradient removes it.
- Compute a round of 1-way Gradient Transfer by hand.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
In mixed federated learning (Augenstein et al., 2022) the objective is $f=f_f+f_c$: the clients hold $f_f$, the
server has data of its own and holds $f_c$. Take $f_f(w)=\tfrac12(w-1)^2$ and $f_c(w)=\tfrac b2(w+1)^2$. The
minimiser of the sum is $w^*=\frac{1-b}{1+b}$.

Parallel Training lets both sides make $K$ steps on their own loss and adds the two updates. Each side walks
towards its own minimiser, and the sum of the walks vanishes at the wrong place, as in lesson 1.

1-way Gradient Transfer sends the server's gradient at $w$ to the clients. They add it to every local step. At
$w^*$ the two gradients cancel in each step, and nobody moves.
""")
    return


@app.cell
def _(mo):
    K_0 = mo.ui.slider(steps=[1.0, 2.0, 5.0, 10.0], value=5.0, label='local steps K', show_value=True)
    b_0 = mo.ui.slider(steps=[0.1, 0.25, 0.5, 1.0], value=0.25, label="curvature b of the server's loss", show_value=True)
    mo.vstack([K_0, b_0])
    return K_0, b_0


@app.cell
def _(K_0, b_0, draw):
    draw(6, 0, K=K_0.value, b=b_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. With $K=1$ the methods end at the same point. With more steps Parallel Training drifts away;
1-way transfer stays at $w^*$ for every $K$. Its price is stability: the server's gradient is frozen for the
whole round, and where that overshoots, rounds diverge (points that are missing).
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> A recursion on which the convergence proof of 1-way transfer rests: **One convex round of 1-way transfer, for every step within the printed limit**.

$$
\mathbb{E}_{|t}\|x^{(t+1)}-x^*\|^2 \le \tilde\eta^{2} \left(3 \sigma_c^2 + \frac{5 \sigma^2}{K S}\right) + \|x^{(t)}-x^*\|^2 \left(1 - \frac{3 \tilde\eta \mu}{2}\right) - \frac{\tilde\eta (f(x^{(t)})-f(x^*)) \left(S - 1\right)}{S}
$$
>
> Verdict: **holds, loose by 2.17** (proof). `fltheory show MX-CVX-REC`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
In Python: `fl.MixedProblem(clients, centre)`, `fl.ParallelTraining`, `fl.OneWayGradientTransfer`,
`fl.TwoWayGradientTransfer`; everything that works for FedAvg works for them.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

Shift the origin to w*, so that gradients are x for the clients and b w for the server. After K local steps of 1-way transferfrom w, x = (factor) w. Write the factor in eta, b, K.
""")
    return


@app.cell
def _():
    def answer(eta, b, K):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(6, answer)))
    return


if __name__ == "__main__":
    app.run()
