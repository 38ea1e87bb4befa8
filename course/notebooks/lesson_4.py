"""Lesson 4: Sampling clients, and expectations without simulation.  Open with: marimo edit lesson_4.py"""

import marimo

app = marimo.App(app_title="Lesson 4: Sampling clients, and expectations without simulation")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo


@app.cell
def _(mo):
    mo.md(r"""
# 4. Sampling clients, and expectations without simulation

About 45 minutes.

## What you will be able to do

- Know the two sampling schemes of Li et al. (2020) and the variance that each adds to a round.
- Compute an expectation over all cohorts exactly, instead of averaging runs.
- See when a sampled average is biased.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
In a round only $K$ of $N$ clients take part. Scheme I draws $K$ clients with replacement, with probabilities
equal to their weights, and takes the plain mean of their models. Scheme II takes a uniform subset of $K$,
without replacement, for equal weights. Both are unbiased: the expectation of the sampled mean is the mean of
all.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
What sampling adds is variance. Let the clients' models have mean $0$ and mean square $1$. A mean of $K$
independent draws has variance $1/K$. Without replacement the draws repel each other, and the variance is
smaller. All clients at once, $K=N$, have none.
""")
    return


@app.cell
def _(mo):
    N_0 = mo.ui.slider(steps=[4.0, 8.0, 16.0], value=8.0, label='number of clients N', show_value=True)
    mo.vstack([N_0])
    return N_0,


@app.cell
def _(N_0, draw):
    draw(4, 0, N=N_0.value)
    return


@app.cell
def _(mo):
    mo.md(r"""
Things to see. The package's numbers lie on the formulas, and no run was simulated: `fl.moments` carries mean
and covariance of the model through the rounds, with the law of the cohorts. For few clients out of many the
schemes hardly differ. For half of all clients the second has about half the variance of the first.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
> The lemma of Li et al. (2020) on the variance of Scheme II: **The subset variance bound fails with the stochastic gradients held fixed**.

$$
\mathbb{E}_{S}\big[\|\bar v_{t+1}-\bar w_{t+1}\|^2\mid \xi\big] \le \frac{4 E^{2} G^2 \eta_t^{2} \left(N - K\right)}{K \left(N - 1\right)}
$$
>
> Verdict: **wrong as printed** (proof). `fltheory show LI-LEM5-2[over the cohort only]`
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
In Python: `fl.moments(problem, fl.FedAvg(10, 0.05, fl.SchemeI(2)), rounds=200).gap` is $\mathbb{E}F(w_r)-F^*$
at every round. Compare it with `fl.simulate(..., runs=100)`: the runs scatter around it.
""")
    return


@app.cell
def _(mo):
    mo.md(r"""
## Exercise

K of N clients, without replacement; their models have mean 0 and mean square s. Write the variance of the sampled mean in K, N and s.
""")
    return


@app.cell
def _():
    def answer(K, N, s):
        return ...  # your formula

    return (answer,)


@app.cell
def _(answer, check_answer, mo):
    mo.md(str(check_answer(4, answer)))
    return


if __name__ == "__main__":
    app.run()
