// Entropies by bit-sliced counters: levels are bits of a word, counted by full adders.
#pragma once

#include "jitune_entropy_image.h"
#include "jitune_planes.h"

namespace jitune {

/// A warp that marches down a tile of 32 * columns columns and writes all but the outermost
/// `columns` on either side, which its first and last lane have for the windows of the others. Each
/// bit field of a word is a level mask of an element; the fields of one word are elements of the
/// same column in strips of `strip` rows below each other.
template <class T, int window, int levels, int columns, int strip, int unroll, int direct>
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
    using Planes = unsigned[kPlanes];

    const Image<T>& image;
    const long long row;     ///< the first of the first strip
    const long long column;  ///< this lane's first

    /// This lane's elements of one row in each strip.
    struct Elements {
        Pack<T, kPack> packs[kStrips][columns / kPack];
    };

    __device__ __forceinline__ bool has_row(long long y) const { return y >= 0 && y < image.rows; }
    __device__ __forceinline__ bool has_column(int k) const {
        return column + k >= 0 && column + k < image.columns;
    }

    /// Row `step` of the windows' first rows, which lie a radius above the strips.
    template <bool whole>
    __device__ __forceinline__ void load(int step, Elements& elements) const {
        const Loader<Load::standard> loader;
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            const long long y = row + i * strip + step - kRadius;
            const T* const from = image.input + (y * image.columns + column);
            if constexpr (whole) {
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
                    if (has_row(y) && has_column(k)) {
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

    /// Adds weight * (how many bits of `set` there are in each strip's field and those below it).
    __device__ __forceinline__ static void add_bits(unsigned set, unsigned weight,
                                                    unsigned (&sums)[kStrips]) {
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            sums[i] += weight * __popc(set << (32 - kField * (i + 1)));
        }
    }

    /// The levels that are in the window n times, for all n of which `set` has those whose bits
    /// from `plane` on are those of n.
    template <int plane, int n>
    __device__ __forceinline__ static void add_counts(unsigned set, const Planes& counts,
                                                      unsigned (&sums)[kStrips]) {
        if constexpr (plane > 0) {
            add_counts<plane - 1, n>(set & ~counts[plane - 1], counts, sums);
            add_counts<plane - 1, n + (1 << (plane - 1))>(set & counts[plane - 1], counts, sums);
        } else if constexpr (n >= 2 && n <= Logs::kMost) {
            add_bits(set, Logs::at(n), sums);
        }
    }

    /// The sum of n log n in each strip: counts below `direct` all at once, higher ones, of which a
    /// window has few, one by one.
    __device__ __forceinline__ static void sum_logs(const Planes& counts,
                                                    unsigned (&sums)[kStrips]) {
        constexpr int kLow = bits_for(direct - 1) < kPlanes ? bits_for(direct - 1) : kPlanes;
        unsigned high = 0;
#pragma unroll
        for (int j = kLow; j < kPlanes; ++j) {
            high |= counts[j];
        }
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            sums[i] = 0;
        }
        add_counts<kLow, 0>(~high, counts, sums);
        // All lanes take part until the last is done: the shuffles that follow need the whole warp.
        while (__any_sync(kAll, high != 0)) {
            const int place = 31 - __clz(high);  // -1 where there is none any more
            int n = 0;
#pragma unroll
            for (int j = 0; j < kPlanes; ++j) {
                n |= (counts[j] >> (place & 31) & 1) << j;
            }
            const unsigned log = high == 0 ? 0 : kFixedLogs<window>.values[n];
            high &= ~(1u << (place & 31));
#pragma unroll
            for (int i = 0; i < kStrips; ++i) {
                sums[i] += place < kField * (i + 1) ? log : 0;
            }
        }
#pragma unroll
        for (int i = kStrips - 1; i > 0; --i) {
            sums[i] -= sums[i - 1];
        }
    }

    /// Entropies of this lane's columns in row `step` of each strip.
    template <bool whole>
    __device__ __forceinline__ void store(int step, float (&entropies)[kStrips][columns]) const {
        constexpr int kStored = columns < 4 ? columns : 4;
        const int lane = threadIdx.x % 32;
        if (lane == 0 || lane == 31) {
            return;
        }
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            const long long y = row + i * strip + step;
            float* const to = image.output + (y * image.columns + column);
            if constexpr (whole) {
                using Stored = Pack<float, kStored>;
                const auto* const packs = reinterpret_cast<const Stored*>(entropies[i]);
#pragma unroll
                for (int p = 0; p < columns / kStored; ++p) {
                    reinterpret_cast<Stored*>(to)[p] = packs[p];
                }
            } else {
#pragma unroll
                for (int k = 0; k < columns; ++k) {
                    if (has_row(y) && has_column(k)) {
                        to[k] = entropies[i][k];
                    }
                }
            }
        }
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
            unsigned sums[kStrips];
            sum_logs(counts[k], sums);
#pragma unroll
            for (int i = 0; i < kStrips; ++i) {
                if (whole) {
                    const auto rest = static_cast<int>(Logs::at(Logs::kMost) - sums[i]);
                    entropies[i][k] = static_cast<float>(rest) * factor;
                } else {
                    const long long y = row + i * strip + step;
                    const bool is_there = has_row(y) && has_column(k);
                    const int count = is_there ? extent_of<kRadius>(y, image.rows) *
                                                     extent_of<kRadius>(column + k, image.columns)
                                               : 1;
                    entropies[i][k] = entropy_of<window>(sums[i], count, image.scale);
                }
            }
        }
        store<whole>(step, entropies);
    }

    /// With `whole`, every window lies within the array, and every lane's columns are aligned to a
    /// pack in each row.
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
#pragma unroll(whole ? unroll : 1)
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
        if (inside && aligned) {
            run<true>();
        } else {
            run<false>();
        }
    }
};

}  // namespace jitune
