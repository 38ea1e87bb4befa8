// Tridiagonal quadratics: row i of A_k x is edges[i-1] x[i-1] + diagonal[i] x[i] + edges[i] x[i+1].  Exact gradients.

// out <- x after the steps x <- keep x - rates[i] (scale (A x - b) + shift).
extern "C" __global__ void tridiagonal_steps(
    double* out, const double* x, Index x_run, Index x_slot, const double* shift, Index shift_run, Index shift_slot,
    int shifted, const double* rates, int steps, double keep, const Index* clients, const double* scales, const Key* roots,
    const Index* occurrence, Key round, Key first_client, Key first, Index slots, double* work, Index room,
    const double* diagonals, const double* off_diagonals, const double* vectors, int d) {
    Index run = blockIdx.x / slots, slot = blockIdx.x % slots, k = clients[blockIdx.x];
    Points points = {x, x_run, x_slot}, shifts = {shift, shift_run, shift_slot};
    const double *from = points.at(run, slot), *push = shifts.at(run, slot);
    const double *diagonal = diagonals + k * d, *edges = off_diagonals + k * (d - 1), *vector = vectors + k * d;
    double *point = scratch(work, room), *moved = point + d;
    for (int i = threadIdx.x; i < d; i += blockDim.x) point[i] = from[i];
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        for (int i = threadIdx.x; i < d; i += blockDim.x) {
            double slope = diagonal[i] * point[i] - vector[i];
            if (i > 0) slope += edges[i - 1] * point[i - 1];
            if (i < d - 1) slope += edges[i] * point[i + 1];
            moved[i] = keep * point[i] - rates[step] * (scales[k] * slope + (shifted ? push[i] : 0.0));
        }
        __syncthreads();
        double* other = point;
        point = moved;
        moved = other;
    }
    out += (Index)blockIdx.x * d;
    for (int i = threadIdx.x; i < d; i += blockDim.x) out[i] = point[i];
}
