// The sum of n log n over levels whose counts are in bit planes.
#pragma once

#include "jitune_entropy_image.h"
#include "jitune_planes.h"

namespace jitune {

/// For words of bit fields, each of a window of its own: bit i of a field in plane j is bit j of how
/// often level i is in that window. Some sums are those of a field and of all below it; the sum of
/// a field alone is the difference of two.
template <int window, int field, int direct>
struct FieldLogSum {
    static constexpr int kField = field;
    static constexpr int kStrips = 32 / field;
    static constexpr int kPlanes = bits_for(window * window);
    static constexpr unsigned kAll = 0xffffffffu;

    using Logs = FixedLogs<window>;
    using Planes = unsigned[kPlanes];

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

    /// Adds how many elements of the window have a level of `set`, in each strip's field and those
    /// below it.
    template <int planes>
    __device__ __forceinline__ static void add_elements(unsigned set, const Planes& counts,
                                                        unsigned (&elements)[kStrips]) {
#pragma unroll
        for (int j = 0; j < planes; ++j) {
            add_bits(counts[j] & set, 1u << j, elements);
        }
    }

    /// From sums of each field and those below it to those of each field alone.
    __device__ __forceinline__ static void separate(unsigned (&sums)[kStrips]) {
#pragma unroll
        for (int i = kStrips - 1; i > 0; --i) {
            sums[i] -= sums[i - 1];
        }
    }

    /// The lowest bit of each field, and the highest.
    static constexpr unsigned kLowest = kField == 8 ? 0x01010101u : kField == 16 ? 0x00010001u : 1u;
    static constexpr unsigned kHighest = kLowest << (kField - 1);

    /// `set` without the lowest of its bits in each field.
    __device__ __forceinline__ static unsigned without_first(unsigned set) {
        return set & ((set | kHighest) - kLowest);  // no field borrows from the next
    }

    /// How often the level of each field is in the window, of which `level` has one or none.
    __device__ __forceinline__ static void look_up(unsigned level, const Planes& counts,
                                                   unsigned (&n)[kStrips]) {
        static_assert(kPlanes <= kField);
        unsigned digits = 0;
#pragma unroll
        for (int j = 0; j < kPlanes; ++j) {
            // What is not 0 carries into the highest bit of its field.
            const unsigned digit = (counts[j] & level) + (kHighest - kLowest);
            digits = digits >> 1 | (digit & kHighest);
        }
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            n[i] = digits >> (kField * (i + 1) - kPlanes) & ((1u << kPlanes) - 1);
        }
    }

    /// Adds n log n for the levels in `high`. All lanes take part until the last is done: the
    /// shuffles that follow need the whole warp. The last level of a field is not looked up: it has
    /// all elements that the other levels have left. Most fields have but one level.
    template <int low_planes>
    __device__ __forceinline__ static void add_high(unsigned high, const Planes& counts,
                                                    const int (&elements)[kStrips],
                                                    unsigned (&sums)[kStrips]) {
        unsigned seen[kStrips] = {};
        add_elements<low_planes>(~high, counts, seen);
        separate(seen);
        unsigned rest = without_first(high);
        while (__any_sync(kAll, rest != 0)) {
            const unsigned others = without_first(rest);
            unsigned n[kStrips];
            look_up(rest & ~others, counts, n);
#pragma unroll
            for (int i = 0; i < kStrips; ++i) {
                sums[i] += kFixedLogs<window>.values[n[i]];
                seen[i] += n[i];
            }
            rest = others;
        }
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            sums[i] += kFixedLogs<window>.values[elements[i] - seen[i]];
        }
    }

    /// The sum of n log n in each strip, whose window has so many `elements`: counts below `direct`
    /// all at once, higher ones, of which a window has few, one by one.
    __device__ __forceinline__ static void of(const Planes& counts, const int (&elements)[kStrips],
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
        separate(sums);
        if (__any_sync(kAll, high != 0)) {
            add_high<kLow>(high, counts, elements, sums);
        }
    }
};

}  // namespace jitune
