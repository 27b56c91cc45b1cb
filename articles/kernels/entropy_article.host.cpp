/* jitune template
kernel = "entropy_article"
backend = "host"
summary = "The windowed entropy, step by step: versions 10 to 13 of the article"
include = ["entropy_types.toml"]
cache = "warm"
sizes = ["rows", "columns"]
constraints = ["cores_per_thread <= cores"]
reproducibility = "'fixed'"

[types.step]
v10 = "jitune::V10"
v11 = "jitune::V11"
v12 = "jitune::V12"
v13 = "jitune::V13"

[parameters]
cores_per_thread = { values = [4, 2, 1], default = 1 }

[derived]
threads = "cores / cores_per_thread"

[arguments]
input = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "int64", value = "rows" }
columns = { access = "scalar", type = "int64", value = "columns" }
threads = { access = "scalar", type = "int32", value = "threads" }
prefixes = { access = "scratch", type = "int32", count = "iif(step = 'v13', levels * (rows + 1) * (columns + 1), 1)" }
scale = { access = "value", type = "float64", value = "1.0" }
output = { access = "out", type = "float32", count = "rows * columns" }

[[launch]]
entry = "jitune::entropy_article"
template = ["element", "window", "levels", "step"]
arguments = ["input", "rows", "columns", "threads", "prefixes", "scale", "output"]
*/
// Versions 10 to 13 of the article that entropy_article.cu names, which run on the CPU by OpenMP.
#include "jitune_entropy.h"

namespace jitune {

enum class Logs { computed, table };

template <Logs logs_by, class L, bool prefix_sums>
struct Version {
    static constexpr Logs kLogs = logs_by;
    static constexpr bool kPrefixSums = prefix_sums;
    using Log = L;
};

using V10 = Version<Logs::computed, double, false>;
using V11 = Version<Logs::table, double, false>;
using V12 = Version<Logs::table, float, false>;
using V13 = Version<Logs::table, float, true>;

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
inline constexpr LogTable<Log, window> kLogs;

template <class V, int window>
double log_of(int n) {
    if constexpr (V::kLogs == Logs::computed) {
        return n == 0 ? 0 : __builtin_log(n);
    } else {
        return kLogs<typename V::Log, window>.values[n];
    }
}

/// For each level the number of its elements above and left of each element.
template <class T, int levels>
void add_prefixes(const T* input, long long rows, long long columns, int threads, int* prefixes) {
    const long long wide = columns + 1;
#pragma omp parallel for num_threads(threads)
    for (int level = 0; level < levels; ++level) {
        int* const sums = prefixes + level * (rows + 1) * wide;
        for (long long x = 0; x <= columns; ++x) {
            sums[x] = 0;
        }
        for (long long y = 1; y <= rows; ++y) {
            int in_row = 0;
            sums[y * wide] = 0;
            for (long long x = 1; x <= columns; ++x) {
                const T element = input[(y - 1) * columns + x - 1];
                in_row += level_of<levels>(element) == static_cast<unsigned>(level);
                sums[y * wide + x] = sums[(y - 1) * wide + x] + in_row;
            }
        }
    }
}

template <class T, int window, int levels, class V>
void entropy_article(const T* input, long long rows, long long columns, int threads, int* prefixes,
                     double scale, float* output) {
    constexpr long long kRadius = window / 2;
    if constexpr (V::kPrefixSums) {
        add_prefixes<T, levels>(input, rows, columns, threads, prefixes);
    }
#pragma omp parallel for num_threads(threads)
    for (long long i = 0; i < rows * columns; ++i) {
        const long long row = i / columns;
        const long long column = i % columns;
        const long long top = row > kRadius ? row - kRadius : 0;
        const long long left = column > kRadius ? column - kRadius : 0;
        const long long bottom = row + kRadius < rows ? row + kRadius : rows - 1;
        const long long right = column + kRadius < columns ? column + kRadius : columns - 1;
        int counts[levels] = {};
        if constexpr (V::kPrefixSums) {
            const long long wide = columns + 1;
            for (int level = 0; level < levels; ++level) {
                const int* const sums = prefixes + level * (rows + 1) * wide;
                counts[level] = sums[(bottom + 1) * wide + right + 1] - sums[top * wide + right + 1] -
                                sums[(bottom + 1) * wide + left] + sums[top * wide + left];
            }
        } else {
            for (long long y = top; y <= bottom; ++y) {
                for (long long x = left; x <= right; ++x) {
                    ++counts[level_of<levels>(input[y * columns + x])];
                }
            }
        }
        const int elements = static_cast<int>((bottom - top + 1) * (right - left + 1));
        double sum = 0;
        for (int level = 0; level < levels; ++level) {
            sum += counts[level] * log_of<V, window>(counts[level]);
        }
        output[i] =
            static_cast<float>(scale * (log_of<V, window>(elements) - sum / elements));
    }
}

}  // namespace jitune
