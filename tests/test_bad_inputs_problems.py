"""Bad arguments of problems and oracles: each is refused by the name of the quantity, with its value.

A row is a call and the words that its error must contain; the fixture ``refused`` says what else is asked of an error.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

TABLE = r"""
fl.QuadraticProblem('x', np.eye(2), None, None, None)  # matrices='x'
fl.QuadraticProblem(None, np.eye(2), None, None, None)  # matrices contains
fl.QuadraticProblem([], np.eye(2), None, None, None)  # matrices has
fl.QuadraticProblem(np.eye(2), np.eye(2), None, None, None)  # matrices has
fl.QuadraticProblem(np.full((2, 2, 2), nan), np.eye(2), None, None, None)  # matrices[0, 0, 0]=nan
fl.QuadraticProblem(np.ones((3, 2, 2)), np.eye(2), None, None, None)  # matrices has
fl.QuadraticProblem([[[1, 2], [0, 1]]] * 2, np.eye(2), None, None, None)  # matrices[0]
fl.QuadraticProblem(1j * np.ones((2, 2, 2)), np.eye(2), None, None, None)  # matrices has
fl.QuadraticProblem([[1, 2], [3]], np.eye(2), None, None, None)  # matrices=[[1,
fl.QuadraticProblem(quad.matrices, 'x', None, None, None)  # vectors='x'
fl.QuadraticProblem(quad.matrices, None, None, None, None)  # vectors contains
fl.QuadraticProblem(quad.matrices, 3, None, None, None)  # vectors has
fl.QuadraticProblem(quad.matrices, np.ones(2), None, None, None)  # vectors has
fl.QuadraticProblem(quad.matrices, [[nan, 1], [1, 1]], None, None, None)  # vectors[0, 0]=nan
fl.QuadraticProblem(quad.matrices, [[1j, 1], [1, 1]], None, None, None)  # vectors has
fl.QuadraticProblem(quad.matrices, [[1, 2], [3]], None, None, None)  # vectors=[[1,
fl.QuadraticProblem(quad.matrices, list, None, None, None)  # vectors contains
fl.QuadraticProblem(quad.matrices, [], None, None, None)  # vectors has
fl.QuadraticProblem(quad.matrices, np.eye(2), 'x', None, None)  # offsets='x'
fl.QuadraticProblem(quad.matrices, np.eye(2), [1.0], None, None)  # offsets has
fl.QuadraticProblem(quad.matrices, np.eye(2), [nan, 1, 1], None, None)  # offsets has
fl.QuadraticProblem(quad.matrices, np.eye(2), [1j, 1, 1], None, None)  # offsets has
fl.QuadraticProblem(quad.matrices, np.eye(2), None, 3, None)  # weights has
fl.QuadraticProblem(quad.matrices, np.eye(2), None, [1.0], None)  # weights has
fl.QuadraticProblem(quad.matrices, np.eye(2), None, [nan, 1.0], None)  # weights[0]=nan
fl.QuadraticProblem(quad.matrices, np.eye(2), None, [-0.5, 1.5], None)  # weights[0]=-0.5
fl.QuadraticProblem(quad.matrices, np.eye(2), None, [0.5, 0.6], None)  # weights sum
fl.QuadraticProblem(quad.matrices, np.eye(2), None, [0.5j, 0.5], None)  # weights has
fl.QuadraticProblem(quad.matrices, np.eye(2), None, [[0.5, 0.5]], None)  # weights has
fl.QuadraticProblem(quad.matrices, np.eye(2), None, 'equal', None)  # weights='equal'
fl.QuadraticProblem(quad.matrices, np.eye(2), None, list, None)  # weights contains
fl.QuadraticProblem(quad.matrices, np.eye(2), None, None, 'x')  # samples='x'
fl.QuadraticProblem(quad.matrices, np.eye(2), None, None, 3)  # samples=3
fl.QuadraticProblem(quad.matrices, np.eye(2), None, None, [])  # samples has
fl.QuadraticProblem(quad.matrices, np.eye(2), None, None, [1, 2])  # samples[0]=1
fl.TridiagonalProblem('x', np.ones((2, 1)), np.eye(2), None)  # diagonals='x'
fl.TridiagonalProblem(None, np.ones((2, 1)), np.eye(2), None)  # diagonals contains
fl.TridiagonalProblem(3, np.ones((2, 1)), np.eye(2), None)  # diagonals has
fl.TridiagonalProblem(np.ones(2), np.ones((2, 1)), np.eye(2), None)  # diagonals has
fl.TridiagonalProblem(np.ones((2, 2)), [[nan, 1], [1, 1]], np.eye(2), None)  # off_diagonals has
fl.TridiagonalProblem(np.ones((2, 2)), [[1j, 1], [1, 1]], np.eye(2), None)  # off_diagonals has
fl.TridiagonalProblem(np.ones((2, 2)), [[1, 2], [3]], np.eye(2), None)  # off_diagonals=[[1,
fl.TridiagonalProblem(np.ones((2, 2)), list, np.eye(2), None)  # off_diagonals contains
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), [], None)  # vectors has
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), 'x', None)  # vectors='x'
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), None, None)  # vectors contains
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), 3, None)  # vectors has
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), np.eye(2), 3)  # weights has
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), np.eye(2), [1.0])  # weights has
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), np.eye(2), [nan, 1.0])  # weights[0]=nan
fl.TridiagonalProblem(np.ones((2, 2)), np.ones((2, 1)), np.eye(2), [-0.5, 1.5])  # weights[0]=-0.5
fl.QuadraticSamples(list, np.eye(2))  # matrices contains
fl.QuadraticSamples('x', np.eye(2))  # matrices='x'
fl.QuadraticSamples(None, np.eye(2))  # matrices contains
fl.QuadraticSamples([], np.eye(2))  # matrices has
fl.QuadraticSamples(np.eye(2), np.eye(2))  # matrices has
fl.QuadraticSamples(quad.matrices, np.ones(2))  # vectors
fl.QuadraticSamples(quad.matrices, [[nan, 1], [1, 1]])  # vectors[0, 0]=nan
fl.QuadraticSamples(quad.matrices, [[1j, 1], [1, 1]])  # vectors has
fl.QuadraticSamples(quad.matrices, [[1, 2], [3]])  # vectors=[[1,
fl.QuadraticSamples(quad.matrices, list)  # vectors contains
fl.RegressionSamples('x', [1, 2, 3], 1, 0)  # features='x'
fl.RegressionSamples(None, [1, 2, 3], 1, 0)  # features contains
fl.RegressionSamples(3, [1, 2, 3], 1, 0)  # features
fl.RegressionSamples([], [1, 2, 3], 1, 0)  # features
fl.RegressionSamples(X[0], 'x', 1, 0)  # targets='x'
fl.RegressionSamples(X[0], None, 1, 0)  # targets contains
fl.RegressionSamples(X[0], [1.0], 1, 0)  # targets has
fl.RegressionSamples(X[0], [nan, 1, 1], 1, 0)  # targets[0]=nan
fl.RegressionSamples(X[0], [1, 2, 3], 0.1j, 0)  # scale=0.1j
fl.RegressionSamples(X[0], [1, 2, 3], [0.1], 0)  # scale=[0.1]
fl.RegressionSamples(X[0], [1, 2, 3], float, 0)  # scale=the class
fl.RegressionSamples(X[0], [1, 2, 3], -0.1, 0)  # scale=-0.1
fl.RegressionSamples(X[0], [1, 2, 3], 1, nan)  # modulus=nan
fl.RegressionSamples(X[0], [1, 2, 3], 1, inf)  # modulus=inf
fl.RegressionSamples(X[0], [1, 2, 3], 1, 'a tenth')  # modulus='a tenth'
fl.RegressionSamples(X[0], [1, 2, 3], 1, None)  # modulus=None
fl.li_counterexample(inf, 2, 0, exact=True)  # n_clients=inf
fl.li_counterexample(2j, 2, 0, exact=True)  # n_clients=2j
fl.li_counterexample([2], 2, 0, exact=True)  # n_clients=[2]
fl.li_counterexample(int, 2, 0, exact=True)  # n_clients=the class
fl.li_counterexample(10**30, 2, 0, exact=True)  # n_clients=1000000000000000000000000000000
fl.li_counterexample(2, 0, 0, exact=True)  # block=0
fl.li_counterexample(2, -1, 0, exact=True)  # block=-1
fl.li_counterexample(2, 2.5, 0, exact=True)  # block=2.5
fl.li_counterexample(2, '3', 0, exact=True)  # block='3'
fl.li_counterexample(2, None, 0, exact=True)  # block=None
fl.li_counterexample(2, 2, True, exact=True)  # ridge=True
fl.li_counterexample(2, 2, 0.1j, exact=True)  # ridge=0.1j
fl.li_counterexample(2, 2, [0.1], exact=True)  # ridge=[0.1]
fl.li_counterexample(2, 2, float, exact=True)  # ridge=the class
fl.li_counterexample(2, 2, -0.1, exact=True)  # ridge=-0.1
fl.li_counterexample(2, 2, 0, exact=nan)  # exact=nan
fl.li_counterexample(2, 2, 0, exact=1.0)  # exact=1.0
fl.li_counterexample(2, 2, 0, exact='yes')  # exact='yes'
fl.li_counterexample(2, 2, 0, exact=2)  # exact=2
fl.li_counterexample(2, 2, 0, exact=None)  # exact=None
fl.li_tridiagonal(True, 2, 0, exact=True)  # n_clients=True
fl.li_tridiagonal(nan, 2, 0, exact=True)  # n_clients=nan
fl.li_tridiagonal(inf, 2, 0, exact=True)  # n_clients=inf
fl.li_tridiagonal(2, 2j, 0, exact=True)  # block=2j
fl.li_tridiagonal(2, [2], 0, exact=True)  # block=[2]
fl.li_tridiagonal(2, int, 0, exact=True)  # block=the class
fl.li_tridiagonal(2, 2, nan, exact=True)  # ridge=nan
fl.li_tridiagonal(2, 2, inf, exact=True)  # ridge=inf
fl.li_tridiagonal(2, 2, 'a tenth', exact=True)  # ridge='a tenth'
fl.li_tridiagonal(2, 2, 0, exact=nan)  # exact=nan
fl.li_tridiagonal(2, 2, 0, exact=1.0)  # exact=1.0
fl.li_tridiagonal(2, 2, 0, exact='yes')  # exact='yes'
fl.ridge_regression('x', [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights='sizes')  # features='x'
fl.ridge_regression(None, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights='sizes')  # features=None
fl.ridge_regression(3, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights='sizes')  # features=3
fl.ridge_regression([], [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights='sizes')  # features has
fl.ridge_regression([[1, 2], [3]], [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights='sizes')  # features
fl.ridge_regression([nans, X[1]], [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights='sizes')  # features[0, 0]=nan
fl.ridge_regression(X, 'x', 0, convention='half', weights='sizes')  # targets='x'
fl.ridge_regression(X, None, 0, convention='half', weights='sizes')  # targets=None
fl.ridge_regression(X, 3, 0, convention='half', weights='sizes')  # targets=3
fl.ridge_regression(X, [], 0, convention='half', weights='sizes')  # targets
fl.ridge_regression(X, [[1, 2, 3]], 0, convention='half', weights='sizes')  # targets
fl.ridge_regression(X, [[nan, 1, 1], [1, 2, 3, 4]], 0, convention='half', weights='sizes')  # targets[0]=nan
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0.1, convention='half', weights='sizes')  # regulariser=0.1
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 'l2', convention='half', weights='sizes')  # regulariser='l2'
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], None, convention='half', weights='sizes')  # regulariser=None
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], fl.Regulariser, convention='half', weights='sizes')  # regulariser=the class
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], nan, convention='half', weights='sizes')  # regulariser=nan
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention=str, weights='sizes')  # convention=the class
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='splendid', weights='sizes')  # convention='splendid'
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention=3, weights='sizes')  # convention=3
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention=None, weights='sizes')  # convention=None
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention=True, weights='sizes')  # convention=True
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights=[0.5, 0.6])  # weights sum
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights=[0.5j, 0.5])  # weights has
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights=[[0.5, 0.5]])  # weights has
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights='equal')  # weights='equal'
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights=list)  # weights contains
fl.ridge_regression(X, [[1, 2, 3], [1, 2, 3, 4]], 0, convention='half', weights=3)  # weights has
fl.LogisticProblem([X[0], wide], Y, l2, 'sizes')  # features[1] has
fl.LogisticProblem(X[:1], Y, l2, 'sizes')  # features has
fl.LogisticProblem([None, None], Y, l2, 'sizes')  # features[0] contains
fl.LogisticProblem([1j * X[0], X[1]], Y, l2, 'sizes')  # features[0] has
fl.LogisticProblem('x', Y, l2, 'sizes')  # features='x'
fl.LogisticProblem(None, Y, l2, 'sizes')  # features=None
fl.LogisticProblem(3, Y, l2, 'sizes')  # features=3
fl.LogisticProblem(X, 'x', l2, 'sizes')  # labels='x'
fl.LogisticProblem(X, None, l2, 'sizes')  # labels=None
fl.LogisticProblem(X, 3, l2, 'sizes')  # labels=3
fl.LogisticProblem(X, [], l2, 'sizes')  # labels
fl.LogisticProblem(X, Y[:1], l2, 'sizes')  # labels
fl.LogisticProblem(X, [Y[0][:2], Y[1]], l2, 'sizes')  # labels[0] has
fl.LogisticProblem(X, [[0.5, 1, 1], Y[1]], l2, 'sizes')  # labels[0] has
fl.LogisticProblem(X, Y, 0.1, 'sizes')  # regulariser=0.1
fl.LogisticProblem(X, Y, 'l2', 'sizes')  # regulariser='l2'
fl.LogisticProblem(X, Y, None, 'sizes')  # regulariser=None
fl.LogisticProblem(X, Y, fl.Regulariser, 'sizes')  # regulariser=the class
fl.LogisticProblem(X, Y, nan, 'sizes')  # regulariser=nan
fl.LogisticProblem(X, Y, l2, [1.0])  # weights has
fl.LogisticProblem(X, Y, l2, [nan, 1.0])  # weights[0]=nan
fl.LogisticProblem(X, Y, l2, [-0.5, 1.5])  # weights[0]=-0.5
fl.LogisticProblem(X, Y, l2, [0.5, 0.6])  # weights sum
fl.LogisticProblem(X, Y, l2, [0.5j, 0.5])  # weights has
fl.LogisticProblem(X, Y, l2, [[0.5, 0.5]])  # weights has
fl.LogisticProblem(X, Y, l2, 'equal')  # weights='equal'
fl.SoftmaxProblem([], Z, l2, 'sizes', 2)  # features has
fl.SoftmaxProblem([[1, 2], [3]], Z, l2, 'sizes', 2)  # features[0] has
fl.SoftmaxProblem([nans, X[1]], Z, l2, 'sizes', 2)  # features[0]
fl.SoftmaxProblem([X[0], wide], Z, l2, 'sizes', 2)  # features[1] has
fl.SoftmaxProblem(X, [[nan, 1, 1], Y[1]], l2, 'sizes', 2)  # labels[0] has
fl.SoftmaxProblem(X, [[7, 1, 1], [-7, 1, 1, 1]], l2, 'sizes', 2)  # labels[0] lies
fl.SoftmaxProblem(X, [None, None], l2, 'sizes', 2)  # labels[0] contains
fl.SoftmaxProblem(X, 'x', l2, 'sizes', 2)  # labels='x'
fl.SoftmaxProblem(X, Z, 0.1, 'sizes', 2)  # regulariser=0.1
fl.SoftmaxProblem(X, Z, 'l2', 'sizes', 2)  # regulariser='l2'
fl.SoftmaxProblem(X, Z, None, 'sizes', 2)  # regulariser=None
fl.SoftmaxProblem(X, Z, fl.Regulariser, 'sizes', 2)  # regulariser=the class
fl.SoftmaxProblem(X, Z, l2, list, 2)  # weights contains
fl.SoftmaxProblem(X, Z, l2, 3, 2)  # weights has
fl.SoftmaxProblem(X, Z, l2, [1.0], 2)  # weights has
fl.SoftmaxProblem(X, Z, l2, [nan, 1.0], 2)  # weights[0]=nan
fl.SoftmaxProblem(X, Z, l2, 'sizes', nan)  # classes=nan
fl.SoftmaxProblem(X, Z, l2, 'sizes', -1)  # classes=-1
fl.SoftmaxProblem(X, Z, l2, 'sizes', 0)  # classes=0
fl.SoftmaxProblem(X, Z, l2, 'sizes', 2.5)  # classes=2.5
fl.NetworkProblem(X[:1], Y, l2, 'sizes', 2)  # features has
fl.NetworkProblem([None, None], Y, l2, 'sizes', 2)  # features[0] contains
fl.NetworkProblem([1j * X[0], X[1]], Y, l2, 'sizes', 2)  # features[0] has
fl.NetworkProblem(X, None, l2, 'sizes', 2)  # labels=None
fl.NetworkProblem(X, 3, l2, 'sizes', 2)  # labels=3
fl.NetworkProblem(X, [], l2, 'sizes', 2)  # labels
fl.NetworkProblem(X, Y, nan, 'sizes', 2)  # regulariser=nan
fl.NetworkProblem(X, Y, 0.1, 'sizes', 2)  # regulariser=0.1
fl.NetworkProblem(X, Y, 'l2', 'sizes', 2)  # regulariser='l2'
fl.NetworkProblem(X, Y, l2, [-0.5, 1.5], 2)  # weights[0]=-0.5
fl.NetworkProblem(X, Y, l2, [0.5, 0.6], 2)  # weights sum
fl.NetworkProblem(X, Y, l2, [0.5j, 0.5], 2)  # weights has
fl.NetworkProblem(X, Y, l2, 'sizes', 10**30)  # hidden=1000000000000000000000000000000
fl.NetworkProblem(X, Y, l2, 'sizes', 0)  # hidden=0
fl.NetworkProblem(X, Y, l2, 'sizes', -1)  # hidden=-1
fl.network_start(2.5, 2, seed=0)  # features=2.5
fl.network_start('3', 2, seed=0)  # features='3'
fl.network_start(None, 2, seed=0)  # features=None
fl.network_start(True, 2, seed=0)  # features=True
fl.network_start(2, nan, seed=0)  # hidden=nan
fl.network_start(2, inf, seed=0)  # hidden=inf
fl.network_start(2, 2j, seed=0)  # hidden=2j
fl.network_start(2, [2], seed=0)  # hidden=[2]
fl.network_start(2, 2, seed=-1)  # seed=-1
fl.network_start(2, 2, seed=2.5)  # seed=2.5
fl.network_start(2, 2, seed='3')  # seed='3'
fl.network_start(2, 2, seed=None)  # seed=None
fl.PerceptronProblem(X[:1], Y, l2, 'sizes', (2,))  # features has
fl.PerceptronProblem(X, [[7, 1, 1], [-7, 1, 1, 1]], l2, 'sizes', (2,))  # labels[1] lies
fl.PerceptronProblem(X, Z, 0.1, 'sizes', (2,))  # regulariser=0.1
fl.PerceptronProblem(X, Z, l2, [0.5, 0.6], (2,))  # weights sum
fl.PerceptronProblem(X, Z, l2, 'sizes', ())  # hidden=() has no layer
fl.PerceptronProblem(X, Z, l2, 'sizes', 3)  # hidden=3 is no sequence
fl.PerceptronProblem(X, Z, l2, 'sizes', 'two')  # hidden='two' is no sequence
fl.PerceptronProblem(X, Z, l2, 'sizes', (2, nan))  # hidden[1]=nan
fl.PerceptronProblem(X, Z, l2, 'sizes', (2, -1))  # hidden[1]=-1
fl.PerceptronProblem(X, Z, l2, 'sizes', (2,), 1)  # classes=1
fl.PerceptronProblem(X, Z, l2, 'sizes', (2,), 2.5)  # classes=2.5
fl.perceptron_start(0, (2,), 2, seed=0)  # features=0
fl.perceptron_start(2, (), 2, seed=0)  # hidden=() has no layer
fl.perceptron_start(2, None, 2, seed=0)  # hidden=None is no sequence
fl.perceptron_start(2, (2,), 1, seed=0)  # classes=1
fl.perceptron_start(2, (2,), 2, seed=-1)  # seed=-1
fl.perceptron_start(2, (2,), 2, seed='3')  # seed='3'
fl.Regulariser(None, 'lambda|w|^2')  # strength=None
fl.Regulariser(True, 'lambda|w|^2')  # strength=True
fl.Regulariser(0.1j, 'lambda|w|^2')  # strength=0.1j
fl.Regulariser([0.1], 'lambda|w|^2')  # strength=[0.1]
fl.Regulariser(float, 'lambda|w|^2')  # strength=the class
fl.Regulariser(1, str)  # convention=the class
fl.Regulariser(1, 'splendid')  # convention='splendid'
fl.Regulariser(1, 3)  # convention=3
fl.Regulariser(1, None)  # convention=None
fl.Regulariser(1, True)  # convention=True
fl.ScalarProblem('x', None)  # functions='x'
fl.ScalarProblem(None, None)  # functions=None
fl.ScalarProblem(3, None)  # functions=3
fl.ScalarProblem([], None)  # functions
fl.ScalarProblem([fl.parabola(1.0)] * 2, [[0.5, 0.5]])  # weights has
fl.ScalarProblem([fl.parabola(1.0)] * 2, 'equal')  # weights='equal'
fl.ScalarProblem([fl.parabola(1.0)] * 2, list)  # weights contains
fl.ScalarProblem([fl.parabola(1.0)] * 2, 3)  # weights has
fl.linear(True)  # slope=True
fl.linear(0.1j)  # slope=0.1j
fl.linear([0.1])  # slope=[0.1]
fl.linear(float)  # slope=the class
fl.parabola(nan, 0)  # curvature=nan
fl.parabola(inf, 0)  # curvature=inf
fl.parabola('a tenth', 0)  # curvature='a tenth'
fl.parabola(1, None)  # centre=None
fl.parabola(1, True)  # centre=True
fl.parabola(1, 0.1j)  # centre=0.1j
fl.huber([0.1], 1, 0)  # threshold=[0.1]
fl.huber(float, 1, 0)  # threshold=the class
fl.huber(object(), 1, 0)  # threshold=<object
fl.huber(1, [0.1], 0)  # curvature=[0.1]
fl.huber(1, float, 0)  # curvature=the class
fl.huber(1, nan, 0)  # curvature=nan
fl.huber(1, 1, inf)  # centre=inf
fl.huber(1, 1, 'a tenth')  # centre='a tenth'
fl.huber(1, 1, None)  # centre=None
fl.PiecewiseQuadratic([1j, 1, 1], [0, 1, 0], 0, 0, 0)  # breakpoints has
fl.PiecewiseQuadratic('x', [0, 1, 0], 0, 0, 0)  # breakpoints='x'
fl.PiecewiseQuadratic(None, [0, 1, 0], 0, 0, 0)  # breakpoints contains
fl.PiecewiseQuadratic([0, 1], [1.0], 0, 0, 0)  # curvatures
fl.PiecewiseQuadratic([0, 1], [nan, 1, 1], 0, 0, 0)  # curvatures[0]=nan
fl.PiecewiseQuadratic([0, 1], [1j, 1, 1], 0, 0, 0)  # curvatures has
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], True, 0, 0)  # anchor=True
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], 0.1j, 0, 0)  # anchor=0.1j
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], [0.1], 0, 0)  # anchor=[0.1]
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], 0, float, 0)  # slope contains
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], 0, nan, 0)  # slope=nan
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], 0, inf, 0)  # slope=inf
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], 0, 0, 'a tenth')  # value='a tenth'
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], 0, 0, None)  # value contains
fl.PiecewiseQuadratic([0, 1], [0, 1, 0], 0, 0, True)  # value=True
fl.MiniBatch(int, False)  # size=the class
fl.MiniBatch(10**30, False)  # size=1000000000000000000000000000000
fl.MiniBatch(0, False)  # size=0
fl.MiniBatch(-1, False)  # size=-1
fl.MiniBatch(2, 2)  # replacement=2
fl.MiniBatch(2, None)  # replacement=None
fl.MiniBatch(2, nan)  # replacement=nan
fl.MiniBatch(2, 1.0)  # replacement=1.0
fl.AdditiveNoise(np.full((2, 2, 2), nan))  # covariance[0, 0, 0]=nan
fl.AdditiveNoise([[[1, 2], [0, 1]]] * 2)  # covariance=[[1.0,
fl.AdditiveNoise(1j * np.ones((2, 2, 2)))  # covariance has
fl.AdditiveNoise([[1, 2], [3]])  # covariance=[[1,
fl.AdditiveNoise(list)  # covariance contains
fl.AdditiveNoise('x')  # covariance='x'
fl.AdditiveNoise(None)  # covariance contains
fl.FiniteSupportNoise([[1, 2], [3]], [0.5, 0.5])  # support=[[1,
fl.FiniteSupportNoise(1j * np.ones((3, 2)), [0.5, 0.5])  # support has
fl.FiniteSupportNoise('x', [0.5, 0.5])  # support='x'
fl.FiniteSupportNoise(None, [0.5, 0.5])  # support contains
fl.FiniteSupportNoise([[1, 0], [-1, 0]], [1.0])  # probabilities has
fl.FiniteSupportNoise([[1, 0], [-1, 0]], [nan, 1.0])  # probabilities[0]=nan
fl.FiniteSupportNoise([[1, 0], [-1, 0]], [-0.5, 1.5])  # probabilities=[-0.5,
fl.FiniteSupportNoise([[1, 0], [-1, 0]], [0.5, 0.6])  # probabilities=[0.5,
fl.FiniteSupportNoise([[1, 0], [-1, 0]], [0.5j, 0.5])  # probabilities has
fl.gradient_variance('quad', noise, None)  # problem='quad'
fl.gradient_variance(None, noise, None)  # problem=None
fl.gradient_variance(3, noise, None)  # problem=3
fl.gradient_variance(fl.QuadraticProblem, noise, None)  # problem=QuadraticProblem
fl.gradient_variance(quad, 'exact', None)  # oracle='exact'
fl.gradient_variance(quad, 3, None)  # oracle=3
fl.gradient_variance(quad, fl.Exact, None)  # oracle=the class
fl.gradient_variance(quad, 1.0, None)  # oracle=1.0
fl.gradient_variance(quad, noise, 'x')  # at='x'
fl.gradient_variance(quad, noise, [1.0])  # at has
fl.gradient_variance(quad, noise, [nan, 1.0])  # at[0]=nan
fl.gradient_variance(quad, noise, [inf, 0.0])  # at[0]=inf
fl.second_moment_along([1j, 0.0], quad, noise, layout='server')  # iterates has
fl.second_moment_along(list, quad, noise, layout='server')  # iterates contains
fl.second_moment_along([[1.0], [2.0, 3.0]], quad, noise, layout='server')  # iterates=[[1.0],
fl.second_moment_along(np.zeros((3, 2)), avg, noise, layout='server')  # problem=FedAvg(local_steps=2,
fl.second_moment_along(np.zeros((3, 2)), [], noise, layout='server')  # problem=[]
fl.second_moment_along(np.zeros((3, 2)), object(), noise, layout='server')  # problem=<object
fl.second_moment_along(np.zeros((3, 2)), quad, avg, layout='server')  # oracle=FedAvg(local_steps=2,
fl.second_moment_along(np.zeros((3, 2)), quad, 'exact', layout='server')  # oracle='exact'
fl.second_moment_along(np.zeros((3, 2)), quad, 3, layout='server')  # oracle=3
fl.second_moment_along(np.zeros((3, 2)), quad, noise, layout=str)  # layout=the class
fl.second_moment_along(np.zeros((3, 2)), quad, noise, layout='splendid')  # layout='splendid'
fl.second_moment_along(np.zeros((3, 2)), quad, noise, layout=3)  # layout=3
fl.LogisticProblem.from_arrays('abc', 0)  # clients='abc' is no sequence
fl.LogisticProblem.from_arrays(['abc'], 0)  # clients[0]='abc' is no pair
fl.LogisticProblem.from_arrays([([[1.0]], [1], [1])], 0)  # clients[0]=([[1.0]], [1], [1]) is no pair
fl.MixedProblem('quad', mixed.centre)  # clients='quad'
fl.MixedProblem(None, mixed.centre)  # clients=None
fl.MixedProblem(3, mixed.centre)  # clients=3
fl.MixedProblem(fl.QuadraticProblem, mixed.centre)  # clients=QuadraticProblem
fl.MixedProblem(avg, mixed.centre)  # clients=FedAvg(local_steps=2,
fl.MixedProblem(quad, [])  # centre=[]
fl.MixedProblem(quad, object())  # centre=<object
fl.MixedProblem(quad, 'quad')  # centre='quad'
fl.MixedProblem(quad, None)  # centre=None
fl.MixedProblem(quad, 3)  # centre=3
fl.Scaled(fl.QuadraticProblem, 0.5)  # problem=QuadraticProblem
fl.Scaled(avg, 0.5)  # problem=FedAvg(local_steps=2,
fl.Scaled([], 0.5)  # problem=[]
fl.Scaled(object(), 0.5)  # problem=<object
fl.Scaled('quad', 0.5)  # problem='quad'
fl.Scaled(quad, np.array([0.1, 0.2]))  # factor=array([0.1,
fl.Scaled(quad, 0)  # factor=0
fl.Scaled(quad, -0.1)  # factor=-0.1
fl.Scaled(quad, nan)  # factor=nan
fl.Scaled(quad, inf)  # factor=inf
fl.label_split(3, [1, 1, -1, -1], 2, ridge=0)  # features has
fl.label_split([], [1, 1, -1, -1], 2, ridge=0)  # features has
fl.label_split(nans, [1, 1, -1, -1], 2, ridge=0)  # features[0, 0]=nan
fl.label_split(np.ones((4, 2)), 'x', 2, ridge=0)  # labels='x'
fl.label_split(np.ones((4, 2)), None, 2, ridge=0)  # labels contains
fl.label_split(np.ones((4, 2)), [1.0], 2, ridge=0)  # labels has
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], 2.5, ridge=0)  # n_clients=2.5
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], '3', ridge=0)  # n_clients='3'
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], None, ridge=0)  # n_clients=None
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], 2, ridge=-0.1)  # ridge=-0.1
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], 2, ridge=nan)  # ridge=nan
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], 2, ridge=inf)  # ridge=inf
fl.curved([], [1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L=1)  # federated has
fl.curved('x', [1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L=1)  # federated='x'
fl.curved(None, [1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L=1)  # federated contains
fl.curved(np.eye(2), [nan, 1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L=1)  # central has
fl.curved(np.eye(2), [1j, 1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L=1)  # central has
fl.curved(np.eye(2), 'x', federated_centres=np.eye(2), central_centre=[1, 1], L=1)  # central='x'
fl.curved(np.eye(2), [1, 1], federated_centres=3, central_centre=[1, 1], L=1)  # federated_centres has
fl.curved(np.eye(2), [1, 1], federated_centres=np.ones(2), central_centre=[1, 1], L=1)  # federated_centres has
fl.curved(np.eye(2), [1, 1], federated_centres=np.eye(2), central_centre=None, L=1)  # central_centre contains
fl.curved(np.eye(2), [1, 1], federated_centres=np.eye(2), central_centre=[1.0], L=1)  # central_centre has
fl.curved(np.eye(2), [1, 1], federated_centres=np.eye(2), central_centre=[nan, 1, 1], L=1)  # central_centre has
fl.curved(np.eye(2), [1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L='a tenth')  # L='a tenth'
fl.curved(np.eye(2), [1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L=None)  # L=None
fl.curved(np.eye(2), [1, 1], federated_centres=np.eye(2), central_centre=[1, 1], L=True)  # L=True
fl.GradientDissimilarity([[1, 2], [3]], np.eye(2), [1.0, 0.0], 0.5)  # federated=[[1,
fl.GradientDissimilarity(1j * np.ones((3, 2)), np.eye(2), [1.0, 0.0], 0.5)  # federated has
fl.GradientDissimilarity('x', np.eye(2), [1.0, 0.0], 0.5)  # federated='x'
fl.GradientDissimilarity(None, np.eye(2), [1.0, 0.0], 0.5)  # federated contains
fl.GradientDissimilarity(np.eye(2), 3, [1.0, 0.0], 0.5)  # central has
fl.GradientDissimilarity(np.eye(2), [], [1.0, 0.0], 0.5)  # central has
fl.GradientDissimilarity(np.eye(2), nans, [1.0, 0.0], 0.5)  # central has
fl.GradientDissimilarity(np.eye(2), [[1, 2], [3]], [1.0, 0.0], 0.5)  # central=[[1,
fl.GradientDissimilarity(np.eye(2), np.eye(2), [1j, 1, 1], 0.5)  # slope has
fl.GradientDissimilarity(np.eye(2), np.eye(2), 'x', 0.5)  # slope='x'
fl.GradientDissimilarity(np.eye(2), np.eye(2), None, 0.5)  # slope contains
fl.GradientDissimilarity(np.eye(2), np.eye(2), [1.0, 0.0], 0)  # w_f=0
fl.GradientDissimilarity(np.eye(2), np.eye(2), [1.0, 0.0], 1)  # w_f=1
fl.GradientDissimilarity(np.eye(2), np.eye(2), [1.0, 0.0], 1.5)  # w_f=1.5
fl.GradientDissimilarity(np.eye(2), np.eye(2), [1.0, 0.0], nan)  # w_f=nan
fl.OnClients(None)  # mixed=None
fl.OnClients(3)  # mixed=3
fl.OnClients(fl.QuadraticProblem)  # mixed=the class
fl.OnClients(avg)  # mixed=FedAvg(local_steps=2,
fl.li_counterexample(10**6, 10**6)  # n_clients=1000000 with block=1000000: too large a request
fl.li_tridiagonal(10**9, 10**9)  # too large a request
fl.network_start(10**9, 10**9, seed=0)  # features=1000000000 with hidden=1000000000: too large a request
fl.perceptron_start(10**9, (10**9,), 2, seed=0)  # units=(1000000000, 1000000000, 2): too large a request
fl.QuadraticSamples([[[1.0, 2.0], [0.0, 1.0]]], [[1.0, 1.0]])  # sample matrices[0] is not symmetric
fl.QuadraticProblem([[[1.0, 2.0], [0.0, 1.0]]], [[1.0, 1.0]])  # matrices[0] is not symmetric
fl.QuadraticProblem([[[F(1), F(2)], [F(0), F(1)]]], [[1, 1]])  # matrices[0] is not symmetric
fl.QuadraticProblem([[[F(1)]]], [[0.5]])  # vectors contains 0.5
fl.QuadraticProblem([[[1.0]]], [[1.0]], weights=[F(1, 2)])  # expected integers or fractions
fl.QuadraticProblem([[[1.0]]], [[1.0]], samples=[3])  # samples[0]=3
fl.QuadraticProblem([[[1.0]]], [[1.0]], samples=[fl.RegressionSamples])  # samples[0]=RegressionSamples is a class
fl.QuadraticProblem(np.zeros((0, 2, 2)), np.zeros((0, 2)))  # vectors has shape (0, 2)
fl.QuadraticProblem.from_samples([])  # samples is empty
fl.QuadraticProblem.from_samples([None])  # samples[0]=None
fl.GradientDissimilarity([[1.0, 2.0], [0.0, 1.0]], np.eye(2), [1.0, 0.0], 0.5)  # federated[0] is not symmetric
fl.MixedProblem(quad, quad)  # centre has 2 clients
fl.Scaled(mixed, 0.5)  # MixedProblem has two parts
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], 2, federated_label=0)  # federated_label=0
fl.label_split(np.ones((4, 2)), [1, 1, -1, -1], 2, federated_label="x")  # federated_label='x'
fl.label_split(np.ones((4, 2)), [1, 1, 1, 1], 2)  # labels gives 4 federated and 0 central rows
fl.second_moment_along(np.zeros((3, 2)), quad, noise, layout="server", run_axis=7)  # run_axis=7
fl.second_moment_along(np.zeros((3, 2)), quad, noise, layout="server", run_axis="x")  # run_axis='x'
fl.second_moment_along(np.zeros((0, 2)), quad, noise, layout="server")  # iterates has shape (0, 2)
fl.gradient_variance(quad, fl.MiniBatch(1), [0.0, 0.0])  # samples=None
fl.gradient_variance(quad, fl.AdditiveNoise(np.eye(3)))  # covariance has shape (3, 3)
fl.FiniteSupportNoise([[1, 0], [1, 0]], [0.5, 0.5])  # the noise has mean 1.0
fl.AdditiveNoise([[1.0, 2.0], [2.0, 1.0]])  # covariance=[[1.0, 2.0], [2.0, 1.0]]
fl.OnClients(quad)  # mixed=QuadraticProblem
fl.PiecewiseQuadratic([1, 0], [0, 1, 0])  # breakpoints=[1.0, 0.0] do not increase
fl.ScalarProblem([fl.parabola])  # functions[0]
quad.value(np.ones(3))  # w has shape (3,)
quad.client_gradients(np.ones((3, 2)))  # x has shape (3, 2)
fl.opposed_pair(0, 1)  # mu=0
fl.opposed_pair(nan, 1)  # mu=nan
fl.opposed_pair('one', 1)  # mu='one'
fl.opposed_pair(1, -1)  # G=-1
fl.opposed_pair(1, None)  # G=None
fl.opposed_pair(1, 1, second=-1)  # second=-1
fl.opposed_pair(1, 1, second='x')  # second='x'
fl.opposed_pair(1, 1, weights=[0.5, 0.6])  # weights sum to 1.1
fl.opposed_pair(1, 1, weights=[0.5])  # weights has shape
fl.opposed_pair(1, 1, weights='ab')  # weights='ab'
fl.opposed_pair(1, 1, weights=[nan, 1])  # weights[0]=nan
fl.opposed_pair(1, 1, weights=[-1, 2])  # weights[0]=-1.0
fl.opposed_pair(1, 1, weights=3)  # weights=3
"""
ROWS = [tuple(row.split("  # ")) for row in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("call", "words"), ROWS)
def test_it_is_refused_in_words(call: str, words: str, refused: Callable[[str, str], None]) -> None:
    refused(call, words)
