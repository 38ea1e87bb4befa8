// What all kernels share: counter-based streams, mini-batches, and who computes in a block.
//
// One block computes one slot of one run: block = run * slots + slot.  Its threads share the slot's work; between two
// __syncthreads() every number is written by one thread only, and sums run in an order that depends neither on the number of
// threads nor on how many runs there are.

typedef unsigned long long Key;
typedef long long Index;

extern __shared__ double pool[];

// Integer for integer fltheory/streams.py.
__device__ inline Key fold(Key key, Key part) {
    Key z = key ^ ((part + 1ULL) * 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

__device__ inline double uniform(Key step_key, Key index) {
    return ((double)(fold(step_key, index) >> 11) + 0.5) * 1.1102230246251565e-16;  // 2^-53
}

// Key of a slot: roots[run] is that of (seed, run); a client's further independent runs in a round have keys of their own.
__device__ inline Key slot_key(Key root, Key round, Key client, Index occurrence) {
    Key key = fold(fold(root, round), client);
    return occurrence > 0 ? fold(key, (Key)occurrence) : key;
}

// Standard normals: by Box-Muller on pairs of uniforms, one pair a thread.
__device__ inline void normals(double* out, Key key, Key step, int count) {
    Key step_key = fold(key, step);
    for (int pair = threadIdx.x; 2 * pair < count; pair += blockDim.x) {
        double radius = sqrt(-2.0 * log(uniform(step_key, 2 * pair)));
        double angle = 6.283185307179586 * uniform(step_key, 2 * pair + 1);
        out[2 * pair] = radius * cos(angle);
        if (2 * pair + 1 < count) out[2 * pair + 1] = radius * sin(angle);
    }
}

// A batch out of 0 .. size-1 into rows[0 .. count-1]; places is scratch of the same length.  Ends with all threads together.
// Without replacement places[j] is a place among those that are left; going back, it is moved past every earlier pick.
__device__ inline void choose(Index* rows, Index* places, Key key, Key step, int count, Index size, int replacement) {
    Key step_key = fold(key, step);
    for (int j = threadIdx.x; j < count; j += blockDim.x) {
        Index limit = replacement ? size : size - j;
        Index place = (Index)(uniform(step_key, j) * (double)limit);
        places[j] = place < limit - 1 ? place : limit - 1;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < count; j += blockDim.x) {
        Index row = places[j];
        if (!replacement)
            for (int i = j - 1; i >= 0; i--) row += row >= places[i];
        rows[j] = row;
    }
    __syncthreads();
}

// Scratch of a block: shared memory, or its part of a work array where that is too small.
__device__ inline double* scratch(double* work, Index room) {
    return room > 0 ? work + (Index)blockIdx.x * room : pool;
}

// Where the points of a slot lie: strides count numbers, and 0 serves all slots from one vector.
struct Points {
    const double* x;
    Index run, slot;
    __device__ const double* at(Index r, Index s) const { return x + r * run + s * slot; }
};
