// Entropies by histograms that slide down the columns: any number of levels, any window.
#pragma once

#include "jitune_entropy_image.h"

namespace jitune {

extern __shared__ __align__(16) unsigned char histogram_memory[];

template <int bytes>
struct CounterOf {
    using Type = unsigned;
};
template <>
struct CounterOf<1> {
    using Type = unsigned char;
};

/// A thread that marches down `strip` rows of one column. Its counters, four to a word if they are
/// bytes, have a bank of shared memory to themselves: whichever levels the threads of a warp count,
/// their accesses do not conflict.
template <class T, int window, int levels, int counter_bytes, int threads>
struct HistogramMarch {
    using Counter = typename CounterOf<counter_bytes>::Type;
    static constexpr int kRadius = window / 2;
    static constexpr int kPerWord = 4 / counter_bytes;
    static constexpr int kWords = (levels + kPerWord - 1) / kPerWord;
    static constexpr int kCounterBytes = kWords * 4 * threads;
    using Logs = FixedLogs<window>;

    const Image<T>& image;
    const long long row;     ///< the first
    const long long column;  ///< may be none of the image's
    const int strip;         ///< how many rows

    /// f(n + 1) - f(n) for each n, which all threads of the block share.
    __device__ __forceinline__ static unsigned* steps() {
        return reinterpret_cast<unsigned*>(histogram_memory + kCounterBytes);
    }

    __device__ __forceinline__ static Counter& counter(unsigned level) {
        const unsigned word = level / kPerWord * threads + threadIdx.x;
        return reinterpret_cast<Counter*>(histogram_memory)[word * kPerWord + level % kPerWord];
    }

    __device__ __forceinline__ static void prepare() {
        auto* const words = reinterpret_cast<unsigned*>(histogram_memory);
        for (int i = 0; i < kWords; ++i) {
            words[i * threads + threadIdx.x] = 0;
        }
        for (int n = threadIdx.x; n < Logs::kMost; n += threads) {
            steps()[n] = kFixedLogs<window>.values[n + 1] - kFixedLogs<window>.values[n];
        }
        __syncthreads();
    }

    /// What a window has of a row.
    struct Row {
        T elements[window];
        bool is_there;
    };

    template <bool whole>
    __device__ __forceinline__ Row load(long long y) const {
        Row one;
        one.is_there = whole || (y >= 0 && y < image.rows);
        if (one.is_there) {
            const Loader<Load::standard> loader;
            const T* const from = image.input + (y * image.columns + column - kRadius);
#pragma unroll
            for (int x = 0; x < window; ++x) {
                if (whole || has_column(x)) {
                    one.elements[x] = loader(from + x);
                }
            }
        }
        return one;
    }

    /// Counts a row, or takes it back.
    template <bool whole, bool entering>
    __device__ __forceinline__ void count(const Row& one, unsigned& sum) const {
        if (!one.is_there) {
            return;
        }
#pragma unroll
        for (int x = 0; x < window; ++x) {
            if (whole || has_column(x)) {
                Counter& n = counter(level_of<levels>(one.elements[x]));
                const unsigned before = n;
                const unsigned after = entering ? before + 1 : before - 1;
                n = static_cast<Counter>(after);
                if (entering) {
                    sum += steps()[before];
                } else {
                    sum -= steps()[after];
                }
            }
        }
    }

    /// `x` counts from the window's first column.
    __device__ __forceinline__ bool has_column(int x) const {
        return column + (x - kRadius) >= 0 && column + (x - kRadius) < image.columns;
    }

    /// With `whole`, all windows lie within the array.
    template <bool whole>
    __device__ __forceinline__ void run() const {
        unsigned sum = 0;
        for (int y = -kRadius; y < kRadius; ++y) {
            count<whole, true>(load<whole>(row + y), sum);
        }
        const int across = whole ? window : extent_of<kRadius>(column, image.columns);
        const int rows = whole || row + strip < image.rows ? strip : static_cast<int>(image.rows - row);
#pragma unroll 1
        for (int i = 0; i < rows; ++i) {
            const long long y = row + i;
            const Row entering = load<whole>(y + kRadius);
            const Row leaving = load<whole>(y - kRadius);
            count<whole, true>(entering, sum);
            const int down = whole ? window : extent_of<kRadius>(y, image.rows);
            image.output[y * image.columns + column] =
                entropy_of<window>(sum, across * down, image.scale);
            count<whole, false>(leaving, sum);
        }
    }

    __device__ __forceinline__ void run_either() const {
        prepare();
        const long long first = column - threadIdx.x;
        if (first >= kRadius && first + threads + kRadius <= image.columns && row >= kRadius &&
            row + strip + kRadius <= image.rows) {
            run<true>();
        } else if (column < image.columns) {
            run<false>();
        }
    }
};

}  // namespace jitune
