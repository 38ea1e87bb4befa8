"""What one round of Lemma 9 leaves at least, for every step size and every whole number K of local steps.

In the unit G/(4 mu), z = 4 mu x/G, a round of (21) reads z' = (1 + z) q^K + K (1 - q) - 1 with q = 1 - 2 mu eta.
It is least at
q = y, where (1 + z) y^(K-1) = 1, and then K - 1 - (K - 1) y.  ``POWERS`` proves that for q in [0, 1] by induction
over t = K - 1, with
Q = q^t and Y = y^t: the tangent of q^t at y, Bernoulli's inequality for 1/y, and the sharper inequality that it
implies, for p = 1/y,
(t-1) p^(t+1) - (t+1) p^t + (t+1) p - (t-1) >= 0.
"""

from fltheory.evidence.relations import Relations

_TANGENT = "Q*y >= Y*y + t*Y*(q - y)"
_BERNOULLI = "1 - (t + 1)*Y + t*y*Y >= 0"
_SHARPER = "t - 1 - (t + 1)*y + (t + 1)*Y - (t - 1)*y*Y >= 0"

#: By induction over t = K - 1: the least value of a round, and that it is at least b/(1 + K b/(2 (K - 1))), b = (1
#: - Y)/Y.
POWERS = Relations(
    f"t >= 0; Y > 0; {_TANGENT}; {_BERNOULLI}; {_SHARPER}; "
    "q*Q/Y + (t + 1)*(1 - q) >= t + 1 - t*y; 2*t*(1 - y)*Y + (t + 1)*(1 - y)*(1 - Y) >= 2*(1 - Y) "
    "for 0 <= q <= 1; 0 < y <= 1; "
    "first_t = 0; next_t = t + 1; first_Q = 1; next_Q = q*Q; first_Y = 1; next_Y = y*Y",
    uses={
        2: {_TANGENT: "q"},
        3: {_BERNOULLI: "1"},
        4: {_SHARPER: "1", _BERNOULLI: "1 - y"},
        5: {_TANGENT: "q**2/(y**2*Y)"},
        6: {_SHARPER: "1", _BERNOULLI: "1 - y"},
    },
    squares={2: [("t*Y", "q - y")], 3: [("(t + 1)*Y", "1 - y")], 5: [("(q*t + t*y + y)/y**2", "q - y")]},
)

_LEAST = "P/Y + K*(1 - q) >= K - (K - 1)*y"
_ENOUGH = "2*(K - 1)*(1 - y)*Y + K*(1 - y)*(1 - Y) >= 2*(1 - Y)"
_RIGHT = "b/(1 + K/(2*(K - 1))*b)"
#: The two conclusions of ``POWERS`` in P = q^K at the level b, for which y is chosen.
AT_LEVEL = Relations(
    f"(1 + b)*P + K*(1 - q) - 1 >= {_RIGHT} for K >= 2; 0 < Y <= 1; b = (1 - Y)/Y; {_LEAST}; {_ENOUGH}",
    uses={0: {_LEAST: "1", _ENOUGH: "1/(2*Y + K/(K - 1)*(1 - Y))"}},
    at={"K": "2", "Y": "1", "y": "1", "q": "1", "P": "1"},
)

#: Even powers are nonnegative, and then every q <= 0 leaves more.
EVEN = Relations("P >= 0 for 0 <= h <= 1; q = -h; first_P = q**2; next_P = q**2*P")
BELOW_EVEN = Relations(f"(1 + b)*P + K*(1 - q) - 1 >= {_RIGHT} for K >= 2; b >= 0; P >= 0; h >= 0; q = -h")

#: Odd powers of q in [-1, 0] are at least q, and up to the level K - 1 that leaves enough.
ODD = Relations(
    "P >= q; P <= 0 for 0 <= h <= 1; q = -h; first_P = q; next_P = q**2*P",
    uses={0: {"P >= q": "h**2"}, 1: {"P <= 0": "h**2"}},
)
BELOW_ODD = Relations(f"(1 + b)*P + K*(1 - q) - 1 >= {_RIGHT} for K >= 2; 0 <= b <= K - 1; 0 <= h <= 1; q = -h; P >= q")

#: (1 - s)^K is at most its first three terms.
SQUARE = Relations(
    "P <= 1 - k*s + k*(k - 1)/2*s**2; k >= 1 for 0 <= s <= 1; first_k = 1; next_k = k + 1; first_P = 1 - s; next_P "
    "= (1 - s)*P",
    uses={0: {"P <= 1 - k*s + k*(k - 1)/2*s**2": "1 - s"}},
)
#: eta times the sum of (21) in closed form, h = 2 mu eta: S is the sum of 1 - q^t over t < k.
SUM = Relations(
    "h*S = k*h - 1 + P for q = 1 - h; first_S = 0; next_S = S + 1 - P; first_P = 1; next_P = q*P; first_k = 0; "
    "next_k = k + 1",
    uses={0: {"h*S = k*h - 1 + P": "1"}},
)

_UP = {"the sum of (21)": SUM, "powers of q and y": POWERS, "at the level": AT_LEVEL}
#: For steps up to 1/(2 mu); for all steps and even K; for steps up to 1/mu.
POSITIVE = {name: one.certificate for name, one in _UP.items()}
FOR_EVEN = {**POSITIVE, "even powers": EVEN.certificate, "even powers at the level": BELOW_EVEN.certificate}
ALL = {**FOR_EVEN, "odd powers": ODD.certificate, "odd powers at the level": BELOW_ODD.certificate}
#: What joins them to a derivation.
CHOICE = "y is the (K-1)-th root of 1/(1 + b), so that Y = y^(K-1), and P = q^K = q Q; K = t + 1"
