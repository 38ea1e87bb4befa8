"""Every claim says in a headline what is true, to a stranger."""

from __future__ import annotations

from fltheory.evidence.catalogue import find_scripts, load
from fltheory.evidence.sentences import headline_of

#: Claims that have no headline yet, one a line.  Nothing is ever added here: a new claim has its headline from the start.
WITHOUT_A_HEADLINE_YET = frozenset(
    """
LI-ABS2
LI-EQ1[problem constants absorbed]
LI-E1SGD.2
LI-TAB1a
LI-MIX[device drawn with probability p]
LI-COMM[2T/E with E dividing T]
LI-COMM[T/E as the number of rounds]
LI-ASM-EX.1
LI-ASM-EX.2
LI-ASM-EX.3
LI-GAMIID
LI-GAMNON-R1
LI-TRANS-a
LI-TRANS-d[in the average of B]
LI-TRANS-e[in the client average]
LI-TRANS-f
LI-ONESHOT.1
LI-ONESHOT.2
LI-THM4-I1.1
LI-THM4-I1.2
LI-KHALED[squared distance or objective gap]
LI-L3PF1..5.3
LI-L3PF1..5.4
LI-B1-EQV[a device drawn twice runs once]
LI-IINORM
LI-L5PF-I.1-R1
LI-L5PF-II1
LI-C1-SUM
LI-OVERLAP
LI-RHO.1
LI-RHO.2
LI-EINF-b-R1
LI-EQ33.2
LI-MUPOS.1[added, eta < 1/4 kept]
LI-MUPOS.4[A_i + mu I, mu < 1/(4+mu)]
LI-EQ35
LI-L6-INV
LI-L6-FIN.1-R1
LI-L6-FIN.2
LI-L6-V.1-R1
LI-FIG2.2[t counts local steps]
LI-FIG2.2[t counts rounds]
LI-SETUP.1
LI-SETUP.2
LI-IIDIV
LI-NORMW
LI-SMALLLR
LI-EQ1-SRC
LI-STICHIID-R1
LI-STICHIID-R2
LI-STICHIID[guarantee of Theorem 1]
LI-STICHIID[linear speed-up]
LI-BIASEX.2
LI-VBARSGD[gradients taken at the local points]
LI-L3PF-T0[run from t = 1]
LI-B1-G.2-R1
LI-C4-ASM.1
LI-C4-ASM.2
LI-C4-ASM.3
LI-TRANS-ALG.2
LEC-RAR
LEC-IID
LEC-P3a.2[row vectors]
LEC-P3b
LEC-MN
LEC-COMMK
LEC-XSILO
LEC-L1-T0
MX-EQ2.1
MX-EQ2.2[with replacement]
MX-EQ2.2[without replacement]
MX-EQ3[with replacement]
MX-EQ3[without replacement]
MX-ASM41
MX-EQ6
MX-DEF42.2
MX-DEFD1
MX-ALG1-2W[J central steps]
MX-ALG-2WSTATE
MX-ALG-FP-PT / -1W / -2W.1W
MX-ALG-FP-PT / -1W / -2W.2W
MX-ALG-FP-PT / -1W / -2W.PT[step sizes to zero]
MX-ALG-STAB.3
MX-ALG-STAB.4
MX-ALG-STAB.5
MX-A3-K1.2[equal progress, a merging rate of its own]
MX-A3-K2
MX-HET.2W[eta_s eta_m at least sqrt(S)]
MX-HET.PT[eta_s eta_m at least sqrt(S)]
MX-THMB1-MAP.2
MX-T1-DIM.2
MX-T1-FIT-PT.1
MX-T1-FIT-GT.1W
MX-T1-FIT-SIGC.1W
MX-T1-FIT-SIGC.2W
MX-T1-FIT-SIGC.PT
MX-T1-FIT-SIG.1W
MX-T1-FIT-SIG.2W
MX-T1-FIT-SIG.PT
MX-IMPL-GB.1[eta_m = 1]
MX-IMPL-GB.2[eta_m = 1]
MX-IMPL-SIGC.1
MX-IMPL-2W.3[equal rates, eta = 1/100]
MX-C2-DIV.1
MX-CONC-SPLIT.1
MX-CONC-SPLIT.2
MX-CONC-SPLIT.3[orders of Table 1]
MX-CONC-SPLIT.3[where the runs end]
MX-TAB3.1
MX-EQ7.3
MX-LEMD13-S5.1
MX-SC-FINAL.1
MX-SC-FINAL.3
MX-C-FINAL[average of x^(1)..x^(T+1), as printed]
MX-NC-FINAL[expectation inside, x^(1)..x^(T+1)]
MX-AUX-L1
MX-AUX-L2
MX-FN3.2
MX-FEDAVG-SGD
MX-T1-W12.2
MX-SC-LOG[order of the number of rounds]
EL-L1-TEL
EL-L1-23
EL-L1-CASES.1
EL-L1-CASES.2-R1
EL-L1-CASES.2[normalised weights as limits]
EL-LEM2.4
EL-L1-LOG[up to the constant in the exponent]
EL-HET4
""".strip().splitlines()
)


def test_no_claim_is_without_a_headline_but_those_listed_which_only_become_fewer() -> None:
    catalogue = load(find_scripts())
    assert not catalogue.broken
    without = {
        row_id
        for row_id, claim in catalogue.claims.items()
        if not headline_of({"headline": claim.headline, "summary": claim.summary})
    }
    assert sorted(without - WITHOUT_A_HEADLINE_YET) == [], "these claims need headline='...'"
    assert sorted(WITHOUT_A_HEADLINE_YET - without) == [], "these have a headline now: strike them from the list"
