"""The bound of Stich, Local SGD Converges Fast and Communicates Little (ICLR 2019)."""

from fltheory.theory.stich2019.bounds import theorem_2_2 as theorem_2_2
