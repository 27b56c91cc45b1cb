/* jitune template
kernel = "entropy_article"
backend = "cuda"
summary = "The windowed entropy, step by step: versions 0 to 9 of the article"
include = ["entropy_types.toml"]
sizes = ["rows", "columns"]
constraints = [
    "32 * block_rows <= max_threads_per_block",
    "NOT tiled OR block_rows > 2 * radius",
    "ceil_div(rows, tile_rows) <= 65535",
]
reproducibility = "'fixed'"

[types.step]
v0 = "jitune::V0"
v1 = "jitune::V1"
v2 = "jitune::V2"
v3 = "jitune::V3"
v4 = "jitune::V4"
v5 = "jitune::V5"
v6 = "jitune::V6"
v7 = "jitune::V7"
v8 = "jitune::V8"
v9 = "jitune::V9"

# The article's blocks are 32 x 32.
[parameters]
block_rows = { values = [4, 8, 16, 32], default = 32 }

[derived]
tiled = "step = 'v9'"
tile_rows = "iif(tiled, block_rows - 2 * radius, block_rows)"
tile_columns = "iif(tiled, 32 - 2 * radius, 32)"

[arguments]
input = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "int64", value = "rows" }
columns = { access = "scalar", type = "int64", value = "columns" }
scale = { access = "value", type = "float64", value = "1.0" }
output = { access = "out", type = "float32", count = "rows * columns" }

[[launch]]
entry = "jitune::entropy_article"
template = ["element", "window", "levels", "step", "block_rows"]
arguments = ["input", "rows", "columns", "scale", "output"]
block = ["32", "block_rows"]
grid = ["ceil_div(columns, tile_columns)", "ceil_div(rows, tile_rows)"]
*/
// Versions 0 to 9 of an article of 2020 on the entropy of 5 x 5 windows (CUDA and OpenMP, in
// Chinese): one thread for each window, which it counts from nothing. They differ in where the
// logarithms are, what counts, and how the input is read. What the article read by texture
// references, which CUDA 12 has dropped, is read here through the same cache by ld.global.nc.
#include "jitune_entropy.h"

namespace jitune {

enum class Logs { computed, registers, shared, constant, global, texture };
enum class Input { plain, texture, tile };

template <Logs logs_in, class C, class L, Input input_by>
struct Version {
    static constexpr Logs kLogs = logs_in;
    static constexpr Input kInput = input_by;
    using Counter = C;
    using Log = L;
};

using V0 = Version<Logs::computed, int, double, Input::plain>;
using V1 = Version<Logs::registers, int, double, Input::plain>;
using V2 = Version<Logs::shared, int, double, Input::plain>;
using V3 = Version<Logs::constant, int, double, Input::plain>;
using V4 = Version<Logs::global, int, double, Input::plain>;
using V5 = Version<Logs::texture, int, double, Input::plain>;
using V6 = Version<Logs::registers, signed char, double, Input::plain>;
using V7 = Version<Logs::registers, signed char, float, Input::plain>;
using V8 = Version<Logs::registers, signed char, float, Input::texture>;
using V9 = Version<Logs::registers, signed char, float, Input::tile>;

/// log n, and 0 for 0, which then needs no question.
template <class Log, int window>
struct LogTable {
    constexpr LogTable() : values() {
        for (int n = 1; n <= window * window; ++n) {
            values[n] = static_cast<Log>(natural_log(n));
        }
    }
    Log values[window * window + 1];
};

template <class Log, int window>
__constant__ const LogTable<Log, window> kConstantLogs = LogTable<Log, window>();
// Not const, or plain loads of it would go through the read-only cache, too.
template <class Log, int window>
__device__ LogTable<Log, window> kGlobalLogs = LogTable<Log, window>();

template <class V, int window>
__device__ __forceinline__ typename V::Log log_of(int n, const typename V::Log* logs) {
    using Log = typename V::Log;
    if constexpr (V::kLogs == Logs::computed) {
        return n == 0 ? 0 : log(static_cast<double>(n));
    } else if constexpr (V::kLogs == Logs::registers || V::kLogs == Logs::shared) {
        return logs[n];
    } else if constexpr (V::kLogs == Logs::constant) {
        return kConstantLogs<Log, window>.values[n];
    } else if constexpr (V::kLogs == Logs::global) {
        return kGlobalLogs<Log, window>.values[n];
    } else {
        return __ldg(kGlobalLogs<Log, window>.values + n);
    }
}

template <class T, int window, int levels, class V, int block_rows>
__global__ void __launch_bounds__(32 * block_rows)
    entropy_article(const T* input, long long rows, long long columns, double scale, float* output) {
    using Log = typename V::Log;
    constexpr int kRadius = window / 2;
    constexpr bool kTiled = V::kInput == Input::tile;
    constexpr int kMargin = kTiled ? kRadius : 0;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const long long column = blockIdx.x * (32ll - 2 * kMargin) + x - kMargin;
    const long long row = blockIdx.y * (block_rows - 2ll * kMargin) + y - kMargin;

    __shared__ Log shared_logs[V::kLogs == Logs::shared ? window * window + 1 : 1];
    __shared__ unsigned char tile[kTiled ? block_rows : 1][32];
    const bool is_there = row >= 0 && row < rows && column >= 0 && column < columns;
    if constexpr (V::kLogs == Logs::shared) {
        for (int n = y * 32 + x; n <= window * window; n += 32 * block_rows) {
            shared_logs[n] = n == 0 ? 0 : log(static_cast<double>(n));
        }
        __syncthreads();
    }
    if constexpr (kTiled) {
        tile[y][x] = is_there ? level_of<levels>(input[row * columns + column]) : 0;
        __syncthreads();
        if (x < kMargin || x >= 32 - kMargin || y < kMargin || y >= block_rows - kMargin) {
            return;
        }
    }
    if (!is_there) {
        return;
    }

    // In registers or the thread's own memory, as the compiler likes: one table for all look-ups.
    constexpr LogTable<Log, window> kLogs;
    const Log* const logs = V::kLogs == Logs::shared ? shared_logs : kLogs.values;
    typename V::Counter counts[levels] = {};
    int elements = 0;
    for (int dy = -kRadius; dy <= kRadius; ++dy) {
        for (int dx = -kRadius; dx <= kRadius; ++dx) {
            if (row + dy < 0 || row + dy >= rows || column + dx < 0 || column + dx >= columns) {
                continue;
            }
            const T* const from = input + ((row + dy) * columns + column + dx);
            unsigned level = 0;
            if constexpr (V::kInput == Input::plain) {
                level = level_of<levels>(*from);
            } else if constexpr (V::kInput == Input::texture) {
                level = level_of<levels>(__ldg(from));
            } else {
                level = tile[y + dy][x + dx];
            }
            ++counts[level];
            ++elements;
        }
    }
    double sum = 0;
    for (int level = 0; level < levels; ++level) {
        const int n = counts[level];
        sum += n * static_cast<double>(log_of<V, window>(n, logs));
    }
    const double log_of_all = log_of<V, window>(elements, logs);
    output[row * columns + column] = static_cast<float>(scale * (log_of_all - sum / elements));
}

}  // namespace jitune
