// Softmax regression, all local steps of a slot in one block.
//
// Inside, a model is entry [f * classes + c]: classes are what neighbouring threads hold.  Outside it is [c * inputs + f].

#define TILE 32

// out <- x after the steps x <- keep x - rates[i] (g(x) + shift), batches of `size` rows (0: all rows of the client).
extern "C" __global__ void softmax_steps(
    double* out, const double* x, Index x_run, Index x_slot, const double* shift, Index shift_run, Index shift_slot,
    int shifted, const double* rates, int steps, double keep, const Index* clients, const double* scales, const Key* roots,
    const Index* occurrence, Key round, Key first_client, Key first, Index slots, double* work, Index room,
    const double* features, const Index* labels, const Index* starts, int inputs, int classes, double modulus, int size,
    int replacement) {
    Index run = blockIdx.x / slots, slot = blockIdx.x % slots, k = clients[blockIdx.x];
    Index begin = starts[k], count = starts[k + 1] - begin;
    Key key = slot_key(roots[run], round, first_client + (Key)k, occurrence[blockIdx.x]);
    Points points = {x, x_run, x_slot}, shifts = {shift, shift_run, shift_slot};
    const double *from = points.at(run, slot), *push = shifts.at(run, slot);
    int entries = inputs * classes;
    double *model = scratch(work, room), *moved = model + entries, *scores = moved + entries;
    double* powers = scores + TILE * classes;
    Index *rows = (Index*)(powers + TILE * classes), *places = rows + size;
    for (int e = threadIdx.x; e < entries; e += blockDim.x) model[e] = from[(e % classes) * inputs + e / classes];
    __syncthreads();
    Index terms = size > 0 ? size : count;
    for (int step = 0; step < steps; step++) {
        double rate = rates[step], kept = keep - rate * scales[k] * modulus, factor = -rate * scales[k] / (double)terms;
        for (int e = threadIdx.x; e < entries; e += blockDim.x)
            moved[e] = kept * model[e] - (shifted ? rate * push[(e % classes) * inputs + e / classes] : 0.0);
        if (size > 0) choose(rows, places, key, first + (Key)step, size, count, replacement);
        for (Index base = 0; base < terms; base += TILE) {
            int part = terms - base < TILE ? (int)(terms - base) : TILE;
            for (int e = threadIdx.x; e < part * classes; e += blockDim.x) {
                int c = e % classes;
                Index i = base + e / classes;
                const double* row = features + (begin + (size > 0 ? rows[i] : i)) * inputs;
                double score = 0.0;
                for (int f = 0; f < inputs; f++) score += row[f] * model[f * classes + c];
                scores[e] = score;
            }
            __syncthreads();
            for (int e = threadIdx.x; e < part * classes; e += blockDim.x) {
                const double* mine = scores + e / classes * classes;
                double top = mine[0];
                for (int c = 1; c < classes; c++) top = fmax(top, mine[c]);
                powers[e] = exp(scores[e] - top);
            }
            __syncthreads();
            for (int e = threadIdx.x; e < part * classes; e += blockDim.x) {
                const double* mine = powers + e / classes * classes;
                Index i = base + e / classes;
                double total = 0.0;
                for (int c = 0; c < classes; c++) total += mine[c];
                Index own = labels[begin + (size > 0 ? rows[i] : i)];
                scores[e] = factor * (powers[e] / total - (own == e % classes ? 1.0 : 0.0));
            }
            __syncthreads();
            for (int e = threadIdx.x; e < entries; e += blockDim.x) {
                int c = e % classes, f = e / classes;
                double total = 0.0;
                for (int i = 0; i < part; i++)
                    total += features[(begin + (size > 0 ? rows[base + i] : base + i)) * inputs + f] * scores[i * classes + c];
                moved[e] += total;
            }
            __syncthreads();
        }
        double* other = model;
        model = moved;
        moved = other;
    }
    out += (Index)blockIdx.x * entries;
    for (int e = threadIdx.x; e < entries; e += blockDim.x) out[(e % classes) * inputs + e / classes] = model[e];
}

// Mean loss of client k at each run's model, without regulariser: block = run * N + k, out[block].
extern "C" __global__ void softmax_losses(
    double* out, const double* w, Index n_clients, const double* features, const Index* labels, const Index* starts,
    int inputs, int classes) {
    Index run = blockIdx.x / n_clients, k = blockIdx.x % n_clients, count = starts[k + 1] - starts[k];
    const double* model = w + run * inputs * classes;
    double loss = 0.0;
    for (Index i = starts[k] + threadIdx.x; i < starts[k + 1]; i += blockDim.x) {
        const double* row = features + i * inputs;
        double top = 0.0, total = 0.0, own = 0.0;
        for (int c = 0; c < classes; c++) {
            double score = 0.0;
            for (int f = 0; f < inputs; f++) score += row[f] * model[c * inputs + f];
            if (c == labels[i]) own = score;
            if (c == 0 || score > top) {  // the sum so far is brought under the new maximum
                total = c == 0 ? 1.0 : total * exp(top - score) + 1.0;
                top = score;
            } else {
                total += exp(score - top);
            }
        }
        loss += log(total) + top - own;
    }
    pool[threadIdx.x] = loss;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (int t = 0; t < blockDim.x; t++) sum += pool[t];
        out[blockIdx.x] = sum / (double)count;
    }
}
