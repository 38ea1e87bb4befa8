// The kernels on a processor: a block's threads are fibers that change places at every __syncthreads().
//
// Between two barriers the threads run one after another, forwards or backwards: a result that depends on which, lacks a barrier.
#include <ucontext.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#define __global__
#define __device__
#define __shared__

using std::fmax;

struct Place { unsigned int x; };
static Place threadIdx, blockIdx, blockDim;

static const int POOL = 48 * 1024 / 8, MARGIN = 64;
double pool[POOL + MARGIN];

static ucontext_t scheduler;
static std::vector<ucontext_t> fibers;
static std::vector<char> ended;
static int current;
static std::function<void()> body;

// Barriers are numbered in the order of the text; one may be left out, to see whether anything notices.
static int left_out = -1;
extern "C" void leave_out(int number) { left_out = number; }
static void barrier(int number) {
    if (number != left_out) swapcontext(&fibers[current], &scheduler);
}
enum { FIRST = __COUNTER__ + 1 };
#define __syncthreads() barrier(__COUNTER__ - FIRST)

static void enter() {
    body();
    ended[current] = 1;
}

// 0, or 1 where some threads wait at a barrier that others never reach, or 2 where shared memory was left.
static int run_grid(int blocks, int threads, int shared, int backwards, const std::function<void()>& kernel) {
    static std::vector<std::vector<char>> stacks;
    while ((int)stacks.size() < threads) stacks.emplace_back(64 * 1024);
    body = kernel;
    blockDim.x = threads;
    for (int block = 0; block < blocks; block++) {
        blockIdx.x = block;
        // What was never written shows; without a barrier it would be taken for an index.
        double fresh = left_out < 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
        for (int i = 0; i < POOL + MARGIN; i++) pool[i] = i < shared / 8 ? fresh : 7.5;
        fibers.resize(threads);
        ended.assign(threads, 0);
        for (int t = 0; t < threads; t++) {
            getcontext(&fibers[t]);
            fibers[t].uc_stack.ss_sp = stacks[t].data();
            fibers[t].uc_stack.ss_size = stacks[t].size();
            fibers[t].uc_link = &scheduler;
            makecontext(&fibers[t], enter, 0);
        }
        for (int left = threads; left > 0;) {
            int finished = 0;
            for (int i = 0; i < threads; i++) {
                current = backwards ? threads - 1 - i : i;
                threadIdx.x = current;
                swapcontext(&scheduler, &fibers[current]);
                finished += ended[current];
            }
            if (finished != 0 && finished != threads) return 1;
            left -= finished;
        }
        for (int i = shared / 8; i < POOL + MARGIN; i++)
            if (pool[i] != 7.5) return 2;
    }
    return 0;
}
