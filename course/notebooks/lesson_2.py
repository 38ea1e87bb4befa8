"""Lesson 2: One step of descent, certified.  Open with: marimo edit lesson_2.py"""

import marimo

app = marimo.App(app_title="Lesson 2: One step of descent, certified")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 2. One step of descent, certified

About 45 minutes.

## What you will be able to do

- Read a proof as a sum: inequalities that hold for every function of a class, each times a number that is not negative.
- See that for gradient descent such a proof is exact: some function attains it.
- Find the best step size from the worst case.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
How far from the minimiser can one gradient step leave the model, if all that is known of the loss is that its
curvature lies between $\mu$ and $L$? A worst case over infinitely many functions looks out of reach. But only
two points matter: $w$ and the minimiser $w^*$. What a smooth strongly convex function can have there as values
and gradients is described by finitely many inequalities (Taylor, Hendrickx and Glineur, 2017), and the largest
distance under these is a semidefinite programme.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
Its dual solution is a proof. For step sizes up to $2/(L+\mu)$ one inequality is enough: with $g=\nabla F(w)$
and $w^*=0$, every function of the class satisfies

- $\langle g,w\rangle\ge\frac{1}{L+\mu}|g|^2+\frac{L\mu}{L+\mu}|w|^2$

Multiply it by $2\eta(1-\eta\mu)\frac{L+\mu}{L-\mu}$ and subtract it from $(1-\eta\mu)^2|w|^2-|w-\eta g|^2$.
What remains is $\frac{\eta(2-\eta(L+\mu))}{L-\mu}|g-\mu w|^2$, which is not negative. That is the whole proof.

Nothing in the package believes the solver: the multipliers are rounded to rational numbers and the sum is
checked again in exact arithmetic by one file of plain Python.
""")
    return


@app.cell
def _(mo):
    mu_0 = mo.ui.slider(steps=[0.05, 0.1, 0.25, 0.5], value=0.1, label='least curvature mu (the largest is L = 1)', show_value=True)
    mo.vstack([mu_0])
    return mu_0,


@app.cell
def _(draw, mu_0):
    draw(2, 0, mu=mu_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. The certified points lie on the larger of the two curves, everywhere: the worst functions are
parabolas, $\tfrac\mu2w^2$ for short steps and $\tfrac L2w^2$ for long ones. No other function of the class is
worse, and that is a theorem, not an observation. Beyond the step size $2/L$ the factor exceeds 1.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> The lemma about one step of FedAvg on which Theorem 1 of Li et al. (2020) rests: **One step of averaged SGD contracts the squared distance, up to noise and drift**.

$$
\mathbb{E}\|\bar v_{t+1}-w^\star\|^2 \le \mathbb{E}\|\bar w_t-w^\star\|^2 \left(1 - \eta_t \mu\right) + 6 \Gamma L \eta_t^{2} + 2 \mathbb{E}\sum_k p_k\|\bar w_t-w_t^k\|^2 + \eta_t^{2} \mathbb{E}\|g_t-\bar g_t\|^2
$$
>
> Verdict: **holds, loose by 16** (proof). `fltheory show LI-LEM1`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
In Python: `answer = fl.worst_case(fl.FedAvg(1, 0.5), fl.SmoothStronglyConvex(mu=0.1, L=1))`, then
`answer.sparse().multipliers()` for the proof and `answer.instance()` for the function that attains it.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

At which step size is the worst case of one step least? A formula in mu and L.
""")
    return


@app.cell
def _():
    def answer(mu, L):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(2, answer)))
    return


if __name__ == "__main__":
    app.run()
