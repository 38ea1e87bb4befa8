// What a round does between the clients' steps: averages, compressed vectors, and runs that diverge.

// out[run] <- sum_s coefficients[run][s] x[run][s] in the order of the slots, + absent[run] w[run] where there is a w.
extern "C" __global__ void weighted_sum(
    double* out, const double* coefficients, Index c_run, const double* x, Index x_run, Index x_slot, Index runs, Index slots,
    Index d, const double* absent, const double* w, int with_absent) {
    Index e = (Index)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= runs * d) return;
    Index run = e / d, j = e % d;
    Points points = {x, x_run, x_slot};
    double total = 0.0;
    for (Index s = 0; s < slots; s++) total += coefficients[run * c_run + s] * points.at(run, s)[j];
    out[e] = with_absent ? total + absent[run] * w[e] : total;
}

// Bernoulli sparsification: a coordinate stays with the chance 1/factor and is multiplied by the factor.
extern "C" __global__ void sparsify(
    double* out, const double* x, Index x_run, Index x_slot, double chance, double factor, const Index* clients,
    const Key* roots, const Index* occurrence, Key round, Key first_client, Key step, Index slots, int d) {
    Index run = blockIdx.x / slots, slot = blockIdx.x % slots;
    Key key = slot_key(roots[run], round, first_client + (Key)clients[blockIdx.x], occurrence[blockIdx.x]);
    Key step_key = fold(fold(key, 0xFFFFFFFEULL), step);
    Points points = {x, x_run, x_slot};
    const double* from = points.at(run, slot);
    for (int j = threadIdx.x; j < d; j += blockDim.x)
        out[(Index)blockIdx.x * d + j] = uniform(step_key, j) < chance ? from[j] * factor : from[j] * 0.0;
}

// diverged[run] <- finished, unless it was set before, where a number of the run is not finite or, of the model (bound >= 0, one
// part), the length exceeds the bound.  Block = run * parts + part; several may write the same number.
extern "C" __global__ void watch(
    const double* x, Index entries, Index parts, double bound, Index finished, Index* diverged) {
    Index run = blockIdx.x / parts, part = blockIdx.x % parts;
    const double* mine = x + run * entries;
    double squares = 0.0, finite = 0.0;
    for (Index i = part * blockDim.x + threadIdx.x; i < entries; i += parts * blockDim.x) {
        squares += mine[i] * mine[i];
        finite += mine[i] * 0.0;  // a number that is not finite makes this not a number
    }
    pool[threadIdx.x] = squares;
    pool[blockDim.x + threadIdx.x] = finite;
    __syncthreads();
    if (threadIdx.x > 0 || diverged[run] >= 0) return;
    squares = finite = 0.0;
    for (int t = 0; t < blockDim.x; t++) {
        squares += pool[t];
        finite += pool[blockDim.x + t];
    }
    if (!(finite == 0.0) || (bound >= 0.0 && !(sqrt(squares) <= bound))) diverged[run] = finished;
}
