// One thread's reduction of elements that lie side by side. Folds combine in an order that depends
// on nothing but the number of elements, their alignment and the template arguments.
#pragma once

#include "jitune_custom.h"
#include "jitune_host_sum.h"
#include "jitune_operations.h"

namespace jitune {

/// The operations that vectors know.
template <class T, class A, class R, template <class, class, class> class Operation,
          Summation kSummation, int kUnroll, int kSimdBytes>
struct LaneFold {
    using Op = Operation<T, A, R>;
    using Rule = LaneRule<T, A, R, Operation>;
    using State = typename Op::State;
    using Part = jitune::Part<Rule, kSimdBytes / int{sizeof(typename Rule::Lane)}, kSummation>;
    static constexpr int kElements = Rule::elements(kSimdBytes);
    static constexpr Index kStep = Index{kElements} * kUnroll;
    /// From here on vectors that lie across two cache lines cost more than the alignment.
    static constexpr Index kAligned = 16 * kElements;

    JITUNE_UNMERGED static State reduce(const T* values, Index n, Index = 0) {
        if (n < kElements) {
            return reduce_serially(values, n);
        }
        // The first vector and the last overlap the whole ones between them.
        const int head = n < kAligned ? 0 : elements_to_boundary(values);
        const Index vectors = (n - head) / kElements;
        const int rest = static_cast<int>((n - head) % kElements);
        Part edge{map_some(values, 0, head)};
        edge.add(map_some(values + (n - kElements), kElements - rest, kElements));
        values += head;
        const Index steps = vectors / kUnroll;
        for (Index i = steps * kUnroll; i < vectors; ++i) {
            edge.add(map(values + i * kElements));
        }
        auto total = edge.total();
        if (steps > 0) {
            total.add(reduce_steps(values, steps));
        }
        return Rule::state(total.result());
    }

private:
    static JITUNE_FUNCTION auto map(const T* values) {
        return Rule::template map<kElements>(load_stored<kElements>(values));
    }

    /// Equal elements that come twice do not change what orders them.
    static JITUNE_FUNCTION auto map_some(const T* values, int first, int end) {
        using Elements = Vector<Stored<T>, kElements>;
        auto stored = load_stored<kElements>(values);
        if constexpr (!Rule::kOrders) {
            stored = select_lanes<Stored<T>, kElements>(stored, first, end,
                                                        Elements{} + Rule::neutral());
        }
        return Rule::template map<kElements>(stored);
    }

    static JITUNE_FUNCTION int elements_to_boundary(const T* values) {
        constexpr Index kBytes = kElements * sizeof(T);
        return static_cast<int>(-reinterpret_cast<Index>(values) % kBytes / sizeof(T));
    }

    static JITUNE_FUNCTION State reduce_serially(const T* values, Index n) {
        State state = Op::identity();
        for (Index i = 0; i < n; ++i) {
            state = Op::combine(state, Op::map(values[i], i));
        }
        return state;
    }

    static JITUNE_FUNCTION auto reduce_block(const T* values, Index steps) {
        Part parts[kUnroll];
        for (int u = 0; u < kUnroll; ++u) {
            parts[u] = Part{map(values + u * kElements)};
        }
        for (Index step = 1; step < steps; ++step) {
            for (int u = 0; u < kUnroll; ++u) {
                parts[u].add(map(values + step * kStep + u * kElements));
            }
        }
        auto total = parts[0].total();
        for (int u = 1; u < kUnroll; ++u) {
            total.add(parts[u].total());
        }
        return total;
    }

    JITUNE_UNMERGED __attribute__((noinline)) static auto reduce_steps(const T* values, Index steps)
        -> decltype(reduce_block(values, steps)) {
        constexpr Index kBlock = Rule::kSteps;
        if (steps <= kBlock) {
            return reduce_block(values, steps);
        }
        const Index half = (steps + 2 * kBlock - 1) / (2 * kBlock) * kBlock;
        auto total = reduce_steps(values, half);
        total.add(reduce_steps(values + half * kStep, steps - half));
        return total;
    }
};

/// The place of an extreme: that of each block in vectors, then one search in the first block that
/// has the best.
template <class T, class A, class R, template <class, class, class> class Operation, int kUnroll,
          int kSimdBytes>
struct ArgFold {
    using Op = Operation<T, A, R>;
    using State = typename Op::State;
    static constexpr Index kBlock = 4096;

    JITUNE_UNMERGED static State reduce(const T* values, Index n, Index first_index) {
        State best = Op::identity();
        Index best_block = 0;
        for (Index block = 0; block < n; block += kBlock) {
            const Index count = n - block < kBlock ? n - block : kBlock;
            const State state{extreme(values + block, count), first_index + block};
            if (Op::precedes(state, best)) {
                best = state;
                best_block = block;
            }
        }
        if (n > 0) {
            best.index = first_index + find(values, best_block, best.value);
        }
        return best;
    }

private:
    template <template <class, class, class> class Extreme>
    using ExtremeFold = LaneFold<T, A, A, Extreme, Summation::pairwise, kUnroll, kSimdBytes>;

    static JITUNE_FUNCTION A extreme(const T* values, Index n) {
        if constexpr (Op::identity().value > A(0)) {
            return ExtremeFold<Min>::reduce(values, n);
        } else {
            return ExtremeFold<Max>::reduce(values, n);
        }
    }

    static JITUNE_FUNCTION Index find(const T* values, Index place, A value) {
        while (true) {
            const A other = convert<A>(values[place]);
            if (other == value || (value != value && other != other)) {
                return place;
            }
            ++place;
        }
    }
};

// g++ 12 makes wrong code where it puts several combinations of one loop into vectors, and these convert between signed
// and unsigned integers: `(int)((unsigned)a + (unsigned)b)` loses elements with -O3.
#if defined(__GNUC__) && !defined(__clang__)
#define JITUNE_NOT_IN_VECTORS __attribute__((noinline, optimize("no-tree-loop-vectorize")))
#else
#define JITUNE_NOT_IN_VECTORS __attribute__((noinline))
#endif

/// Any operation: lanes of its own states, and two blocks' states at a time.
template <class Op, class T, int kUnroll>
struct AnyFold {
    using State = typename Op::State;
    static constexpr Index kBlock = 512 * kUnroll;

    JITUNE_UNMERGED static State reduce(const T* values, Index n, Index first_index) {
        if (n <= kBlock) {
            return reduce_block(values, n, first_index);
        }
        const Index half = (n + 2 * kBlock - 1) / (2 * kBlock) * kBlock;
        return Op::combine(reduce(values, half, first_index),
                           reduce(values + half, n - half, first_index + half));
    }

private:
    JITUNE_UNMERGED static State reduce_block(const T* values, Index n, Index first_index) {
        if constexpr (kUnroll > 1) {
            return reduce_lanes(values, n, first_index);
        }
        State state = Op::identity();
        for (Index i = 0; i < n; ++i) {
            state = Op::combine(state, Op::map(values[i], first_index + i));
        }
        return state;
    }

    JITUNE_UNMERGED JITUNE_NOT_IN_VECTORS static State reduce_lanes(const T* values, Index n, Index first_index) {
        State states[kUnroll];
        for (State& state : states) {
            state = Op::identity();
        }
        Index i = 0;
        for (; i + kUnroll <= n; i += kUnroll) {
            for (int u = 0; u < kUnroll; ++u) {
                states[u] = Op::combine(states[u], Op::map(values[i + u], first_index + i + u));
            }
        }
        for (; i < n; ++i) {
            states[0] = Op::combine(states[0], Op::map(values[i], first_index + i));
        }
        for (int u = 1; u < kUnroll; ++u) {
            states[0] = Op::combine(states[0], states[u]);
        }
        return states[0];
    }
};

template <template <class, class, class> class Operation>
constexpr bool kFindsPlace = false;
template <>
inline constexpr bool kFindsPlace<ArgMin> = true;
template <>
inline constexpr bool kFindsPlace<ArgMax> = true;

template <class T, class A, class R, template <class, class, class> class Operation,
          Summation kSummation, int kUnroll, int kSimdBytes>
constexpr auto fold_type() {
    if constexpr (kFindsPlace<Operation>) {
        return Type<ArgFold<T, A, R, Operation, kUnroll, kSimdBytes>>{};
    } else if constexpr (!kHasLanes<T, A, R, Operation>) {
        return Type<AnyFold<Operation<T, A, R>, T, kUnroll>>{};
    } else {
        return Type<LaneFold<T, A, R, Operation, kSummation, kUnroll, kSimdBytes>>{};
    }
}

/// reduce(values, n, first_index) gives the state of n elements, the first of which has that index.
template <class T, class A, class R, template <class, class, class> class Operation,
          Summation kSummation, int kUnroll, int kSimdBytes>
using Fold =
    typename decltype(fold_type<T, A, R, Operation, kSummation, kUnroll, kSimdBytes>())::type;

}  // namespace jitune
