// Entropies by histograms that slide down the columns: any number of levels, any window.
#pragma once

#include "jitune_entropy_image.h"

namespace jitune {

extern __shared__ __align__(16) unsigned char histogram_memory[];

/// A thread that marches down `strip` rows of one column. Its counters are bytes, four to a word,
/// and each thread has a bank of its own: whichever levels the threads of a warp count, their
/// accesses do not conflict.
template <class T, int window, int levels, int strip, int threads>
struct HistogramMarch {
    static constexpr int kRadius = window / 2;
    static constexpr int kWords = (levels + 3) / 4;
    static constexpr int kCounterBytes = kWords * 4 * threads;
    using Logs = FixedLogs<window>;

    const Image<T>& image;
    const long long row;     ///< the first
    const long long column;  ///< may be none of the image's

    /// f(n + 1) - f(n) for each n, which all threads of the block share.
    __device__ __forceinline__ static unsigned* steps() {
        return reinterpret_cast<unsigned*>(histogram_memory + kCounterBytes);
    }

    __device__ __forceinline__ static unsigned char& counter(unsigned level) {
        return histogram_memory[(level & ~3u) * threads + 4 * threadIdx.x + (level & 3u)];
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

    /// Counts the part of a row that the window has, or takes it back.
    template <bool entering>
    __device__ __forceinline__ void count(long long y, unsigned& sum) const {
        if (y < 0 || y >= image.rows) {
            return;
        }
        const Loader<Load::standard> loader;
        const T* const from = image.input + (y * image.columns + column);
        T elements[window];
#pragma unroll
        for (int x = 0; x < window; ++x) {
            if (has_column(x)) {
                elements[x] = loader(from + (x - kRadius));
            }
        }
#pragma unroll
        for (int x = 0; x < window; ++x) {
            if (has_column(x)) {
                unsigned char& n = counter(level_of<levels>(elements[x]));
                if (entering) {
                    sum += steps()[n];
                    n = n + 1;
                } else {
                    n = n - 1;
                    sum -= steps()[n];
                }
            }
        }
    }

    /// `x` counts from the window's first column.
    __device__ __forceinline__ bool has_column(int x) const {
        return column + (x - kRadius) >= 0 && column + (x - kRadius) < image.columns;
    }

    __device__ __forceinline__ void run() const {
        prepare();
        if (column >= image.columns) {
            return;
        }
        unsigned sum = 0;
        for (int y = -kRadius; y < kRadius; ++y) {
            count<true>(row + y, sum);
        }
        const int across = extent_of<kRadius>(column, image.columns);
        const long long end = row + strip < image.rows ? row + strip : image.rows;
        for (long long y = row; y < end; ++y) {
            count<true>(y + kRadius, sum);
            const int elements = across * extent_of<kRadius>(y, image.rows);
            image.output[y * image.columns + column] =
                entropy_of<window>(sum, elements, image.scale);
            count<false>(y - kRadius, sum);
        }
    }
};

}  // namespace jitune
