// Dense quadratics A_k x - b_k, exact or with noise that does not depend on the point.  columns[k][j] is column j of A_k.

enum { EXACT, SCALAR, GAUSSIAN, FINITE };

// Entry i of A x, a sum over columns in fixed order: neighbouring threads read neighbouring numbers.
__device__ inline double product(const double* columns, const double* x, int i, int d) {
    double total = 0.0;
    for (int j = 0; j < d; j++) total += columns[(Index)j * d + i] * x[j];
    return total;
}

// out <- x after the steps x <- keep x - rates[i] (scale (A x - b + xi) + shift).
extern "C" __global__ void quadratic_steps(
    double* out, const double* x, Index x_run, Index x_slot, const double* shift, Index shift_run, Index shift_slot,
    int shifted, const double* rates, int steps, double keep, const Index* clients, const double* scales, const Key* roots,
    const Index* occurrence, Key round, Key first_client, Key first, Index slots, double* work, Index room,
    const double* columns, const double* vectors, int d, int kind, const double* noise_roots, int n_roots,
    const double* support, int n_support, const double* edges, int n_edges) {
    Index run = blockIdx.x / slots, slot = blockIdx.x % slots, k = clients[blockIdx.x];
    Key key = slot_key(roots[run], round, first_client + (Key)k, occurrence[blockIdx.x]);
    Points points = {x, x_run, x_slot}, shifts = {shift, shift_run, shift_slot};
    const double *from = points.at(run, slot), *push = shifts.at(run, slot);
    const double *matrix = columns + k * d * d, *vector = vectors + k * d;
    const double* root = noise_roots + (kind == GAUSSIAN ? k % n_roots * d * d : 0);
    double *point = scratch(work, room), *moved = point + d, *xi = moved + d;
    for (int i = threadIdx.x; i < d; i += blockDim.x) point[i] = from[i];
    for (int step = 0; step < steps; step++) {
        Key number = first + (Key)step;
        const double* value = support;
        if (kind == SCALAR || kind == GAUSSIAN) normals(xi, key, number, d);
        if (kind == FINITE) {
            double u = uniform(fold(key, number), 0);
            int pick = 0;
            while (pick < n_edges - 1 && u >= edges[pick]) pick++;
            value = support + (k % n_support * n_edges + pick) * d;
        }
        __syncthreads();
        double rate = rates[step];
        for (int i = threadIdx.x; i < d; i += blockDim.x) {
            double slope = product(matrix, point, i, d) - vector[i];
            if (kind == SCALAR) slope += root[0] * xi[i];
            if (kind == GAUSSIAN) slope += product(root, xi, i, d);
            if (kind == FINITE) slope += value[i];
            slope = scales[k] * slope + (shifted ? push[i] : 0.0);
            moved[i] = keep * point[i] - rate * slope;
        }
        __syncthreads();
        double* other = point;
        point = moved;
        moved = other;
    }
    out += (Index)blockIdx.x * d;
    for (int i = threadIdx.x; i < d; i += blockDim.x) out[i] = point[i];
}

// out <- maps_k x + offsets_k - sums_k shift for every slot: many steps, or a proximal one, as one affine map per client.
extern "C" __global__ void apply_maps(
    double* out, const double* x, Index x_run, Index x_slot, const double* shift, Index shift_run, Index shift_slot,
    int shifted, const Index* clients, Index slots, const double* maps, const double* sums, const double* offsets, int d) {
    Index run = blockIdx.x / slots, slot = blockIdx.x % slots, k = clients[blockIdx.x];
    Points points = {x, x_run, x_slot}, shifts = {shift, shift_run, shift_slot};
    const double *from = points.at(run, slot), *push = shifts.at(run, slot);
    for (int i = threadIdx.x; i < d; i += blockDim.x) {
        double value = product(maps + k * d * d, from, i, d) + offsets[k * d + i];
        if (shifted) value -= product(sums + k * d * d, push, i, d);
        out[(Index)blockIdx.x * d + i] = value;
    }
}
