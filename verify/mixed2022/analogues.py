"""How far the experiments that are run again here are from those of Augenstein et al. (2022), Section 5 and Appendix C."""

from fltheory.evidence.model import Analogue

SMILE = Analogue(
    model="a small network or logistic regression instead of the paper's network for faces",
    data="digits of 8 by 8 pixels and a subset of MNIST, odd against even classes, instead of smiles on the faces of CelebA",
    size="23 or 64 clients of about 31 images, cohorts of 10 or 20, 120 to 200 rounds with eta K = 0.6, instead of 2,802 clients "
    "of about 63, cohorts of 100 and eta K = 0.02",
    heterogeneity="one label on the clients and the other at the server, as printed; the clients are alike",
)
LANGUAGE = Analogue(
    model="softmax regression on two symbols (convex) instead of a recurrent network of 1,024 units",
    data="generated languages of 27 symbols instead of Stack Overflow and Wikipedia",
    size="100 clients, cohorts of 20, batches of 8 symbols, 40 to 200 rounds, instead of 342,477 clients, cohorts of 100, "
    "batches of 8 sequences of 100 and about 2,000 rounds",
    heterogeneity="clients and server have languages of their own, w_f = 0.73 as printed; how unlike the paper's are is not known",
)
LOGISTIC = Analogue(
    model="small logistic regressions with exact gradients instead of the networks of the three tasks",
    data="24 generated problems instead of the paper's data",
    size="K = 16 and w_f = 0.73 as in the language task, 60 rounds",
    heterogeneity="both sides alike, or one label on each side; the clients do not differ from each other",
)
MOVIE = Analogue(
    model="the dual encoder of the paper with tables of d = 8 or 16 numbers",
    data="generated users and movies instead of MovieLens 1M",
    size="800 users and 200 movies, cohorts of 50, 600 rounds (200 with ADAM), instead of 6,040 users, 3,952 movies, cohorts of "
    "100 and 2,000 rounds; counts of costs at the paper's own sizes",
    heterogeneity="users of a generated taste and activity; that of MovieLens is not matched beyond its sizes",
)
