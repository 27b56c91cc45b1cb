// Entropies by bit-sliced counters: levels are bits of a word, counted by full adders.
#pragma once

#include "jitune_entropy_image.h"
#include "jitune_entropy_sum.h"

namespace jitune {

/// How a lane's elements of a row go between memory and registers.
enum class Transfer {
    packs,     ///< which all rows must be aligned to
    elements,  ///< read one by one, written by whole warps from shared memory
};

/// A warp that marches down a tile of 32 * columns columns, `columns` for each lane. It writes all
/// but those of its first and its last lane: these two are there because the windows of the other
/// lanes reach into their columns. Each bit field of a word is the level mask of one element. The
/// elements of one word stand in the same column, each in another strip. The strips have `strip`
/// rows each and lie below each other.
template <class T, int window, int levels, int warps, int columns, int direct, Transfer transfer>
struct BitMarch {
    static constexpr int kRadius = window / 2;
    static constexpr int kField = levels <= 8 ? 8 : levels <= 16 ? 16 : 32;
    static constexpr int kStrips = 32 / kField;
    static constexpr int kPack = columns * sizeof(T) <= 16 ? columns : 16 / sizeof(T);
    static constexpr int kColumnPlanes = bits_for(window);
    static constexpr int kPlanes = bits_for(window * window);
    static constexpr int kReach = columns + 2 * kRadius;
    static constexpr unsigned kAll = 0xffffffffu;
    static_assert(kRadius <= columns, "windows reach into the next lane, no further");
    static_assert(levels <= 32);

    using Logs = FixedLogs<window>;
    using LogSum = FieldLogSum<window, kField, direct>;

    const Image<T> image;
    const long long row;     ///< the first of the first strip
    const long long column;  ///< this lane's first
    const int strip;         ///< rows of one

    /// This lane's elements of one row in each strip.
    struct Elements {
        Pack<T, kPack> packs[kStrips][columns / kPack];
    };

    /// Both sizes are below 2^31.
    __device__ __forceinline__ bool has_row(long long y) const {
        return static_cast<unsigned>(y) < static_cast<unsigned>(image.rows);
    }
    __device__ __forceinline__ bool has_column(int k) const {
        return static_cast<unsigned>(column + k) < static_cast<unsigned>(image.columns);
    }

    /// Row `step` of the windows' first rows, which lie a radius above the strips.
    template <bool whole>
    __device__ __forceinline__ void load(int step, Elements& elements) const {
        const Loader<Load::standard> loader;
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            const long long y = row + i * strip + step - kRadius;
            const T* const from = image.input + (y * image.columns + column);
            if constexpr (whole && transfer == Transfer::packs) {
#pragma unroll
                for (int p = 0; p < columns / kPack; ++p) {
                    elements.packs[i][p] =
                        loader(reinterpret_cast<const Pack<T, kPack>*>(from) + p);
                }
            } else {
#pragma unroll
                for (int k = 0; k < columns; ++k) {
                    T& element = elements.packs[i][k / kPack].values[k % kPack];
                    element = T(0);
                    if (whole || (has_row(y) && has_column(k))) {
                        element = loader(from + k);
                    }
                }
            }
        }
    }

    /// The level masks of a row.
    template <bool whole>
    __device__ __forceinline__ void masks(int step, const Elements& elements,
                                          unsigned (&words)[columns]) const {
#pragma unroll
        for (int k = 0; k < columns; ++k) {
            words[k] = 0;
#pragma unroll
            for (int i = 0; i < kStrips; ++i) {
                const T element = elements.packs[i][k / kPack].values[k % kPack];
                unsigned lowest = 1u << (kField * i);
                if (!whole) {
                    const bool is_there =
                        has_row(row + i * strip + step - kRadius) && has_column(k);
                    lowest = is_there ? lowest : 0;
                }
                words[k] |= __funnelshift_l(0, lowest, loose_level<levels>(element));
            }
        }
    }

    /// How often each level is in each lane's column of a window, with those of the neighbours:
    /// from `kRadius` columns before this lane's first to as many after its last.
    __device__ __forceinline__ static void count_columns(const unsigned (&ring)[window][columns],
                                                         unsigned (&reach)[kReach][kColumnPlanes]) {
#pragma unroll
        for (int k = 0; k < columns; ++k) {
            unsigned column[window][1];
#pragma unroll
            for (int y = 0; y < window; ++y) {
                column[y][0] = ring[y][k];
            }
            sum_of(column, reach[kRadius + k]);
        }
#pragma unroll
        for (int k = 0; k < kRadius; ++k) {
#pragma unroll
            for (int j = 0; j < kColumnPlanes; ++j) {
                reach[k][j] = __shfl_up_sync(kAll, reach[columns + k][j], 1);
                reach[columns + kRadius + k][j] = __shfl_down_sync(kAll, reach[kRadius + k][j], 1);
            }
        }
    }

    /// Windows side by side have all columns but one of each in common.
    __device__ __forceinline__ static void count_windows(
        const unsigned (&reach)[kReach][kColumnPlanes], unsigned (&counts)[columns][kPlanes]) {
#pragma unroll
        for (int k = 0; k < columns; k += 2) {
            unsigned common[window - 1][kColumnPlanes];
#pragma unroll
            for (int x = 1; x < window; ++x) {
#pragma unroll
                for (int j = 0; j < kColumnPlanes; ++j) {
                    common[x - 1][j] = reach[k + x][j];
                }
            }
            constexpr int kCommonPlanes = bits_for(window * (window - 1));
            unsigned both[2][kCommonPlanes] = {};
            sum_of(common, both[0]);
#pragma unroll
            for (int side = 0; side < 2; ++side) {
#pragma unroll
                for (int j = 0; j < kColumnPlanes; ++j) {
                    both[1][j] = reach[k + side * window][j];
                }
                sum_of(both, counts[k + side]);
            }
        }
    }

    /// Whether this lane has windows of its own.
    __device__ __forceinline__ static bool is_inner() {
        const int lane = threadIdx.x % 32;
        return lane > 0 && lane < 31;
    }

    /// Entropies of this lane's columns in row `step` of each strip.
    template <bool whole>
    __device__ __forceinline__ void store(int step, const float (&entropies)[kStrips][columns]) const {
        const int lane = threadIdx.x % 32;
        const long long first = (row + step) * image.columns + column;
        if constexpr (whole && transfer == Transfer::elements) {
            store_by_warp(image.output + (first - lane * columns), entropies);
        } else if (is_inner()) {
#pragma unroll
            for (int i = 0; i < kStrips; ++i) {
                float* const to = image.output + (first + i * strip * image.columns);
                if constexpr (whole) {
                    using Stored = Pack<float, 4>;
                    const auto* const packs = reinterpret_cast<const Stored*>(entropies[i]);
#pragma unroll
                    for (int p = 0; p < columns / 4; ++p) {
                        reinterpret_cast<Stored*>(to)[p] = packs[p];
                    }
                } else if (has_row(row + i * strip + step)) {
#pragma unroll
                    for (int k = 0; k < columns; ++k) {
                        if (has_column(k)) {
                            to[k] = entropies[i][k];
                        }
                    }
                }
            }
        }
    }

    /// Lanes side by side write elements side by side, which meet in a few sectors wherever rows
    /// begin. `to` is the tile's first column in the first strip.
    __device__ __forceinline__ void store_by_warp(
        float* to, const float (&entropies)[kStrips][columns]) const {
        __shared__ Pack<float, 4> staged[warps][kStrips][8 * columns];
        const int lane = threadIdx.x % 32;
        auto& of_warp = staged[threadIdx.x / 32];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            const auto* const packs = reinterpret_cast<const Pack<float, 4>*>(entropies[i]);
#pragma unroll
            for (int p = 0; p < columns / 4; ++p) {
                of_warp[i][lane * (columns / 4) + p] = packs[p];
            }
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            const auto* const from = reinterpret_cast<const float*>(of_warp[i]);
#pragma unroll
            for (int k = 0; k < columns; ++k) {
                const int at = columns + lane + 32 * k;
                if (at < 31 * columns) {
                    to[i * strip * image.columns + at] = from[at];
                }
            }
        }
    }

    /// How many elements the window around column `k` of row `y` has; if that is not this lane's to
    /// write, the most that can have been counted.
    __device__ __forceinline__ int elements_at(long long y, int k) const {
        return is_inner() && has_row(y) && has_column(k)
                   ? extent_of<kRadius>(y, image.rows) *
                         extent_of<kRadius>(column + k, image.columns)
                   : Logs::kMost;
    }

    /// The entropies of row `step`, whose windows' rows are in the ring.
    template <bool whole>
    __device__ __forceinline__ void finish(int step, const unsigned (&ring)[window][columns],
                                           float factor) const {
        unsigned reach[kReach][kColumnPlanes];
        unsigned counts[columns][kPlanes];
        count_columns(ring, reach);
        count_windows(reach, counts);
        alignas(16) float entropies[kStrips][columns];
#pragma unroll
        for (int k = 0; k < columns; ++k) {
            int elements[kStrips];
            unsigned sums[kStrips];
#pragma unroll
            for (int i = 0; i < kStrips; ++i) {
                elements[i] = whole ? Logs::kMost : elements_at(row + i * strip + step, k);
            }
            LogSum::of(counts[k], elements, sums);
#pragma unroll
            for (int i = 0; i < kStrips; ++i) {
                if (whole) {
                    const auto rest = static_cast<int>(Logs::at(Logs::kMost) - sums[i]);
                    entropies[i][k] = static_cast<float>(rest) * factor;
                } else {
                    entropies[i][k] = entropy_of<window>(sums[i], elements[i], image.scale);
                }
            }
        }
        store<whole>(step, entropies);
    }

    /// With `whole`, every window lies within the array, and if lanes move packs, each lane's
    /// columns are aligned to a pack in each row.
    template <bool whole>
    __device__ __forceinline__ void run() const {
        const float factor = factor_of<window>(Logs::kMost, image.scale);
        unsigned ring[window][columns];
        Elements next;
        load<whole>(0, next);
#pragma unroll
        for (int y = 1; y < window; ++y) {
            masks<whole>(y - 1, next, ring[y]);
            load<whole>(y, next);
        }
#pragma unroll 1
        for (int step = 0; step < strip; ++step) {
#pragma unroll
            for (int y = 1; y < window; ++y) {
#pragma unroll
                for (int k = 0; k < columns; ++k) {
                    ring[y - 1][k] = ring[y][k];
                }
            }
            masks<whole>(step + window - 1, next, ring[window - 1]);
            if (step + 1 < strip) {
                load<whole>(step + window, next);
            }
            finish<whole>(step, ring, factor);
        }
    }

    /// A function of its own: the few tiles at the borders must not cost the others registers.
    __device__ __noinline__ static void run_clipped(BitMarch march) {
        march.template run<false>();
    }

    __device__ __forceinline__ void run_either() const {
        const int lane = threadIdx.x % 32;
        const long long first = column - lane * columns;
        const bool inside = first >= 0 && first + 32 * columns <= image.columns &&
                            row >= kRadius && row + kStrips * strip + kRadius <= image.rows;
        constexpr unsigned long long kMisaligned = sizeof(Pack<T, kPack>) - 1;
        const bool aligned =
            (reinterpret_cast<unsigned long long>(image.input) & kMisaligned) == 0 &&
            reinterpret_cast<unsigned long long>(image.output) % 16 == 0 &&
            image.columns % (kPack < 4 ? 4 : kPack) == 0;
        if (inside && (aligned || transfer == Transfer::elements)) {
            run<true>();
        } else {
            run_clipped(*this);
        }
    }
};

}  // namespace jitune
