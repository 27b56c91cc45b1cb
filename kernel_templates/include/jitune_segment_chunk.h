// Elements in shared memory that one warp combines from end to end of segments.
#pragma once

#include "jitune_range.h"
#include "jitune_segment_walk.h"

namespace jitune {

/// An array that the lanes of a warp share: `items` values of each lane, one lane's behind
/// another's, placed so that lanes that each read or write a word of their own meet in no bank.
template <class T, int items>
struct LaneArray {
    static constexpr int kBytes = sizeof(T) * items;
    static constexpr int kWordBytes = kBytes < 16 ? kBytes : 16;
    static constexpr int kWords = kBytes / kWordBytes;  // of a lane
    static constexpr int kOfWord = kWordBytes / sizeof(T);
    static_assert(kOfWord * sizeof(T) == kWordBytes && kWords * kWordBytes == kBytes);
    using Word = typename WordOf<kWordBytes>::Type;
    Word words[32 * kWords];

    static __device__ __forceinline__ unsigned place(unsigned word) {
        return word ^ (word >> 3 & (kWords - 1));
    }
    __device__ __forceinline__ Word& word(unsigned i) { return words[place(i)]; }
    __device__ __forceinline__ T& operator[](unsigned i) {
        return reinterpret_cast<T*>(words + place(i / kOfWord))[i % kOfWord];
    }
};

constexpr int power_of_two_from(int least) {
    int power = 1;
    while (power < least) {
        power *= 2;
    }
    return power;
}

/// A state as words hold it: those of custom operations may have 3 or 12 bytes.
template <class State>
struct alignas(power_of_two_from(sizeof(State))) PaddedState {
    State state;
};

/// The operation's map() asks for an element's place in its segment.
template <class Op>
constexpr bool kUsesPlace = Op::kCombination == Combination::other;

/// A warp's chunk of elements, kItems consecutive ones of each lane. Whoever uses it has a
/// __syncwarp() between its steps: store() and mark(), combine(), piece().
template <class Op, int pack, int unroll, class T>
struct StagedChunk {
    using State = typename Op::State;
    using Loaded = Word<T, pack>;
    static constexpr int kItems = pack * unroll;
    static_assert(kItems >= 4 && kItems % 4 == 0);
    using Elements = LaneArray<T, kItems>;
    using States = LaneArray<PaddedState<State>, kItems>;
    /// A byte for each of a lane's items: 1 where a segment ends with it.
    struct alignas(kItems < 16 ? kItems : 16) Marks {
        unsigned words[kItems / 4];
    };
    struct Shared {
        Elements elements;
        States states;     ///< the combination up to each element from the last end in its lane
        Marks marks[32];
        State before[32];  ///< what the lanes before a lane have left
    };

    Shared& shared;
    unsigned lane = threadIdx.x % 32;

    /// Removes the lane's marks.
    __device__ __forceinline__ void clear() const { shared.marks[lane] = {}; }

    /// Writes the lane's packs, number lane + 32 u of the chunk.
    __device__ __forceinline__ void store(const Loaded (&loaded)[unroll]) const {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const unsigned i = lane + u * 32;
            if constexpr (sizeof(Loaded) == Elements::kWordBytes) {
                shared.elements.word(i) = loaded[u];
            } else {
                *reinterpret_cast<Loaded*>(&shared.elements[i * pack]) = loaded[u];
            }
        }
    }
    __device__ __forceinline__ void set(unsigned i, T value) const { shared.elements[i] = value; }

    /// A segment ends before element `end`, or what is combined of it here.
    __device__ __forceinline__ void mark(unsigned end) const {
        reinterpret_cast<unsigned char*>(shared.marks)[end - 1] = 1;
    }

    /// Combines the elements from mark to mark and removes the marks. `open` is the state of the
    /// segment that goes on in the chunk at element `from`, and would have element 0 of the chunk
    /// at `place`. Lane 31 returns the state behind the last mark. Elements before `from` and from
    /// `to` on may be anything; a map() that asks for places does not get them.
    __device__ __forceinline__ State combine(const State& open, unsigned from, unsigned to,
                                             Index place) const {
        State state = lane == 0 ? open : Op::identity();
        typename Elements::Word elements[Elements::kWords];
#pragma unroll
        for (int w = 0; w < Elements::kWords; ++w) {
            elements[w] = shared.elements.word(lane * Elements::kWords + w);
        }
        const Marks marks = shared.marks[lane];
        unsigned any = 0;
#pragma unroll
        for (const unsigned word : marks.words) {
            any |= word;
        }
        if constexpr (kUsesPlace<Op>) {
            place = place_of_lane(marks, from, place);
        }
#pragma unroll
        for (int w = 0; w < States::kWords; ++w) {
            Pack<PaddedState<State>, States::kOfWord> states;
#pragma unroll
            for (int j = 0; j < States::kOfWord; ++j) {
                const int i = w * States::kOfWord + j;
                const Index element = lane * kItems + i;
                if (!kUsesPlace<Op> || (element >= from && element < to)) {
                    state = Op::combine(state, Op::map(item(elements, i), place + element));
                }
                states.values[j].state = state;
                if (is_marked(marks, i)) {
                    state = Op::identity();
                    place = element + 1 == from ? place : ~element;
                }
            }
            shared.states.word(lane * States::kWords + w) =
                __builtin_bit_cast(typename States::Word, states);
        }
        const unsigned breaks = __ballot_sync(0xffffffffu, any != 0);
        if (any != 0) {
            clear();
        }
        state = scan_warp<Op>(state, breaks);
        const auto before = state_of_lane(state, lane == 0 ? 0 : lane - 1);
        shared.before[lane] = lane == 0 ? Op::identity() : before;
        return state;
    }

    /// The combination of elements [previous, end), with what was open before them if previous is
    /// 0. There is a mark at `end`, and one at `previous` unless it is 0.
    __device__ __forceinline__ State piece(unsigned end, unsigned previous) const {
        const unsigned of_lane = (end - 1) / kItems;
        const State state = shared.states[end - 1].state;
        const bool is_first = (previous - 1) / kItems != of_lane;
        return is_first ? Op::combine(shared.before[of_lane], state) : state;
    }

private:
    static __device__ __forceinline__ bool is_marked(const Marks& marks, int i) {
        return (marks.words[i / 4] & (0xffu << i % 4 * 8)) != 0;
    }

    /// Where element 0 of the chunk would lie in the segment that the lane begins in. If a segment
    /// ends in the lanes before, that is minus the number of its last such end.
    __device__ __forceinline__ Index place_of_lane(const Marks& marks, unsigned from,
                                                   Index place) const {
        unsigned last = 0;
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            const unsigned end = lane * kItems + i + 1;
            last = is_marked(marks, i) && end != from ? end : last;
        }
        const unsigned below = __ballot_sync(0xffffffffu, last != 0) & ((1u << lane) - 1);
        const unsigned end = __shfl_sync(0xffffffffu, last, below == 0 ? 0 : 31 - __clz(below));
        return below == 0 ? place : -static_cast<Index>(end);
    }

    static __device__ __forceinline__ T item(const typename Elements::Word* words, int i) {
        return __builtin_bit_cast(Pack<T, Elements::kOfWord>, words[i / Elements::kOfWord])
            .values[i % Elements::kOfWord];
    }
};

}  // namespace jitune
