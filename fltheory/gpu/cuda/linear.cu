// Linear models on samples, least squares (link 0) and logistic regression (link 1): all local steps of a slot in one block.

#define TILE 32
#define LANES 8

// Derivative of the loss in the score x'w, without overflow.
__device__ inline double slope(double score, double target, int link) {
    if (link == 0) return score - target;
    double margin = target * score;
    if (margin >= 0.0) {
        double small = exp(-margin);
        return -target * small / (1.0 + small);
    }
    return -target / (1.0 + exp(margin));
}

// out <- x after the steps x <- keep x - rates[i] (g(x) + shift), batches of `size` rows (0: all rows of the client);
// g(x) = inner_k mean_i slope_i x_i + modulus_k x.
extern "C" __global__ void linear_steps(
    double* out, const double* x, Index x_run, Index x_slot, const double* shift, Index shift_run, Index shift_slot,
    int shifted, const double* rates, int steps, double keep, const Index* clients, const double* scales, const Key* roots,
    const Index* occurrence, Key round, Key first_client, Key first, Index slots, double* work, Index room,
    const double* features, const double* targets, const Index* starts, int inputs, int link, const double* inner,
    const double* moduli, int size, int replacement) {
    Index run = blockIdx.x / slots, slot = blockIdx.x % slots, k = clients[blockIdx.x];
    Index begin = starts[k], count = starts[k + 1] - begin;
    Key key = slot_key(roots[run], round, first_client + (Key)k, occurrence[blockIdx.x]);
    Points points = {x, x_run, x_slot}, shifts = {shift, shift_run, shift_slot};
    const double *from = points.at(run, slot), *push = shifts.at(run, slot);
    double *model = scratch(work, room), *moved = model + inputs, *parts = moved + inputs, *slopes = parts + TILE * LANES;
    Index *rows = (Index*)(slopes + TILE), *places = rows + size;
    for (int f = threadIdx.x; f < inputs; f += blockDim.x) model[f] = from[f];
    __syncthreads();
    Index terms = size > 0 ? size : count;
    for (int step = 0; step < steps; step++) {
        double rate = rates[step] * scales[k], kept = keep - rate * moduli[k], factor = -rate * inner[k] / (double)terms;
        for (int f = threadIdx.x; f < inputs; f += blockDim.x)
            moved[f] = kept * model[f] - (shifted ? rates[step] * push[f] : 0.0);
        if (size > 0) choose(rows, places, key, first + (Key)step, size, count, replacement);
        for (Index base = 0; base < terms; base += TILE) {
            int part = terms - base < TILE ? (int)(terms - base) : TILE;
            for (int e = threadIdx.x; e < part * LANES; e += blockDim.x) {
                Index i = base + e / LANES;
                const double* row = features + (begin + (size > 0 ? rows[i] : i)) * inputs;
                double total = 0.0;
                for (int f = e % LANES; f < inputs; f += LANES) total += row[f] * model[f];
                parts[e] = total;
            }
            __syncthreads();
            for (int e = threadIdx.x; e < part; e += blockDim.x) {
                Index i = base + e;
                double score = 0.0;
                for (int lane = 0; lane < LANES; lane++) score += parts[e * LANES + lane];
                slopes[e] = factor * slope(score, targets[begin + (size > 0 ? rows[i] : i)], link);
            }
            __syncthreads();
            for (int f = threadIdx.x; f < inputs; f += blockDim.x) {
                double total = 0.0;
                for (int i = 0; i < part; i++)
                    total += slopes[i] * features[(begin + (size > 0 ? rows[base + i] : base + i)) * inputs + f];
                moved[f] += total;
            }
            __syncthreads();
        }
        double* other = model;
        model = moved;
        moved = other;
    }
    out += (Index)blockIdx.x * inputs;
    for (int f = threadIdx.x; f < inputs; f += blockDim.x) out[f] = model[f];
}

// Mean logistic loss of client k at each run's model, without regulariser: block = run * N + k, out[block].
extern "C" __global__ void logistic_losses(
    double* out, const double* w, Index n_clients, const double* features, const double* targets, const Index* starts,
    int inputs) {
    Index run = blockIdx.x / n_clients, k = blockIdx.x % n_clients, count = starts[k + 1] - starts[k];
    const double* model = w + run * inputs;
    double loss = 0.0;
    for (Index i = starts[k] + threadIdx.x; i < starts[k + 1]; i += blockDim.x) {
        double score = 0.0;
        for (int f = 0; f < inputs; f++) score += features[i * inputs + f] * model[f];
        double margin = targets[i] * score;
        loss += log1p(exp(-fabs(margin))) + fmax(-margin, 0.0);
    }
    pool[threadIdx.x] = loss;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (int t = 0; t < blockDim.x; t++) sum += pool[t];
        out[blockIdx.x] = sum / (double)count;
    }
}
