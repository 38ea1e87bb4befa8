"""Augenstein, Hard, Ning, Singhal, Kale, Partridge, Mathews (2022), "Mixed Federated Learning"."""

from fltheory.theory.mixed2022.convex import LEMMA_D7 as LEMMA_D7
from fltheory.theory.mixed2022.convex import LEMMA_D8 as LEMMA_D8
from fltheory.theory.mixed2022.convex import PROPOSITION_D5 as PROPOSITION_D5
from fltheory.theory.mixed2022.convex import PROPOSITION_D6 as PROPOSITION_D6
from fltheory.theory.mixed2022.curves import ONE_WAY_DISTANCE as ONE_WAY_DISTANCE
from fltheory.theory.mixed2022.curves import PARALLEL_DISTANCE as PARALLEL_DISTANCE
from fltheory.theory.mixed2022.curves import TWO_WAY_DISTANCE as TWO_WAY_DISTANCE
from fltheory.theory.mixed2022.vectors import LEMMA_D2_1 as LEMMA_D2_1
from fltheory.theory.mixed2022.vectors import LEMMA_D2_2 as LEMMA_D2_2
from fltheory.theory.mixed2022.vectors import LEMMA_D3_1 as LEMMA_D3_1
from fltheory.theory.mixed2022.vectors import LEMMA_D3_2 as LEMMA_D3_2
