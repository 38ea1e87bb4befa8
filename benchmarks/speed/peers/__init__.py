"""The same computations written with other libraries, as well as their own documentation would have them."""
