// The share of a block in a walk over segments (jitune_segment_walk.h): trips through shared
// memory, each of which does the same work whatever segments are in it.
#pragma once

#include "jitune_range.h"
#include "jitune_segment_walk.h"
#include "jitune_ticket.h"

namespace jitune {

/// A block's elements and ends of segments, a trip at a time: at most kElements and kEnds.
template <class Op, int block, int pack, int unroll, class T, class R>
class SegmentMerge {
    using State = typename Op::State;
    using Loaded = Stage<T, pack, unroll, block>;
    static constexpr int kItems = pack * unroll;  // of a thread, one behind the other
    static constexpr int kElements = block * kItems;
    static constexpr int kEndsOfThread = kItems < 4 ? 1 : kItems / 4;
    static constexpr int kEnds = block * kEndsOfThread;
    static constexpr int kWarps = block / 32;
    /// A segment goes on for so long that its elements need no shared memory.
    static constexpr Index kLong = 3 * kElements;
    static_assert(32 % kItems == 0);

public:
    struct Shared {
        Word<T, pack> packs[block * unroll];
        State pieces[kEnds];            ///< of the segments that end in this trip
        unsigned short ends[kElements];  ///< the segment that ends behind an element
        unsigned last[kElements / 32];   ///< a bit for each element behind which a segment ends
        State warp_states[kWarps];
        unsigned ended;
        unsigned warp_breaks;
    };

    __device__ __forceinline__ SegmentMerge(const Segments<T, R>& segments, Index share,
                                            State* partials, unsigned* tickets, Shared& shared)
        : segments_(segments),
          share_(share),
          begin_(blockIdx.x * share),
          stop_(begin_ + share),
          partials_(partials),
          tickets_(tickets),
          shared_(shared) {}

    /// Reduces this block's share.
    __device__ __forceinline__ void reduce() {
        segment_ = ends_before<block>(segments_, begin_);
        if (segment_ == segments_.count) {
            return;
        }
        const Index first = segment_;
        const Index first_begin = segments_.begin(first);
        continues_ = first_begin + kStepsOfEnd * first < begin_;
        element_ = continues_ ? begin_ - kStepsOfEnd * first : first_begin;
        first_ = first;
        clear();
        if (threadIdx.x == 0) {
            shared_.warp_breaks = 0;
        }
        __syncthreads();
        Index loaded_from = ~Index{0};
        while (segment_ < segments_.count && step() < stop_) {
            const Index goes_to = min(segments_.end(segment_), stop_ - kStepsOfEnd * segment_);
            if (goes_to >= element_ + kLong) {
                walk_to(goes_to);
                continue;
            }
            if (loaded_from != element_) {
                load();
            }
            trip();
            loaded_from = element_;
        }
        // The open segment, if the share holds any of it.
        const bool goes_on =
            segment_ < segments_.count && step_of_begin(segments_, segment_) < stop_;
        const bool is_first = continues_ && segment_ == first_;
        if (goes_on && threadIdx.x == 0) {
            partials_[2 * blockIdx.x + (is_first ? 0 : 1)] = carry_;
        }
        finish_crossing(continues_ ? first_ : kNone, goes_on && !is_first ? segment_ : kNone);
    }

private:
    static constexpr Index kNone = ~Index{0};

    /// The elements that a trip may take from here.
    __device__ __forceinline__ Run<T> run() const {
        const unsigned padding =
            (pack - elements_to_alignment<T, pack>(segments_.values + element_)) % pack;
        Index end = element_ + kElements - padding;
        end = min(end, min(segments_.n, stop_ - kStepsOfEnd * segment_));
        return {segments_.values, segments_.n, element_, end > element_ ? end : element_, padding};
    }

    /// Has what the next trip reads on its way.
    __device__ __forceinline__ void load() {
        loaded_.load(run());
#pragma unroll
        for (int k = 0; k < kEndsOfThread; ++k) {
            const Index segment = segment_ + threadIdx.x + k * block;
            if (segment < segments_.count) {
                ends_[k] = segments_.end(segment);
            }
        }
    }

    /// Combines the elements up to `end`, all of one segment, with the whole block.
    __device__ __forceinline__ void walk_to(Index end) {
        const auto state = combine_block<Op, block>(combine_range<Op, T, pack, unroll>(
            segments_.values + element_, end - element_, threadIdx.x, block, element_));
        if (threadIdx.x == 0) {
            carry_ = Op::combine(carry_, state);
        }
        element_ = end;
        __syncthreads();
    }

    /// Where pack i lies in shared memory, so that threads that each read a pack of their own
    /// `unroll` packs meet in no bank.
    static __device__ __forceinline__ unsigned place(unsigned i) {
        return i ^ ((i >> 3) & (unroll - 1));
    }

    /// Writes what was loaded of the run to shared memory.
    __device__ __forceinline__ void store(const Run<T>& from) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const unsigned i = threadIdx.x + u * block;
            if (from.template has_whole<pack>(i)) {
                shared_.packs[place(i)] = loaded_.loaded[u];
            }
        }
        auto* elements = reinterpret_cast<T*>(shared_.packs);
        const Index count = from.padding + (from.end - from.begin);
        const Index last = count > 0 ? (count - 1) / pack : 0;
        for (unsigned i = threadIdx.x; i < 2 * pack; i += block) {
            const Index in = i < pack ? 0 : last;
            const Index at = in * pack + i % pack;
            if (at >= from.padding && at < count && !from.template has_whole<pack>(in)) {
                elements[place(static_cast<unsigned>(in)) * pack + i % pack] =
                    from.values[from.begin + (at - from.padding)];
            }
        }
    }

    /// Marks the ends of segments in the run, and counts them.
    __device__ __forceinline__ void mark(const Run<T>& from) {
        unsigned ended = 0;
#pragma unroll
        for (int k = 0; k < kEndsOfThread; ++k) {
            const unsigned i = threadIdx.x + k * block;
            const Index segment = segment_ + i;
            const Index end = ends_[k];
            const bool ends = segment < segments_.count && end <= from.end &&
                              end + kStepsOfEnd * segment < stop_;
            if (ends && end > from.begin && end > segments_.begin(segment)) {
                const auto at = static_cast<unsigned>(end - 1 - from.begin) + from.padding;
                atomicOr(&shared_.last[at / 32], 1u << at % 32);
                shared_.ends[at] = static_cast<unsigned short>(i);
            } else if (ends) {
                shared_.pieces[i] = Op::identity();
            }
            ended += __popc(__ballot_sync(0xffffffffu, ends));
        }
        if (threadIdx.x % 32 == 0 && ended > 0) {
            atomicAdd(&shared_.ended, ended);
        }
    }

    /// One trip: leaves segment_ and element_ behind what it took, and the elements from there on
    /// under way. Between two barriers, no thread reads shared memory that another one writes.
    __device__ __forceinline__ void trip() {
        const Run<T> from = run();
        store(from);
        mark(from);
        __syncthreads();
        const Index segment = segment_;
        const unsigned ended = shared_.ended;
        advance(from, ended);
        if (segment_ < segments_.count && step() < stop_) {
            load();
        }
        // The thread's elements: `head` up to the first end among them, `state` behind the last.
        const unsigned at = threadIdx.x * kItems;
        const unsigned last = shared_.last[at / 32] >> at % 32 & (~0u >> (32 - kItems));
        State head = Op::identity();
        State state = Op::identity();
        const auto count = static_cast<unsigned>(element_ - from.begin);
        combine(from, from.padding + count, last, head, state);
        const unsigned breaks = __ballot_sync(0xffffffffu, last != 0);
        state = scan_warp<Op>(state, breaks);
        const unsigned lane = threadIdx.x % 32;
        if (lane == 31) {
            shared_.warp_states[threadIdx.x / 32] = state;
        }
        if (lane == 0 && breaks != 0) {
            atomicOr(&shared_.warp_breaks, 1u << threadIdx.x / 32);
        }
        const auto before = state_of_lane(state, lane == 0 ? 0 : lane - 1);
        __syncthreads();
        clear();
        if (last != 0) {
            State earlier = lane == 0 ? Op::identity() : before;
            if ((breaks & ((1u << lane) - 1)) == 0) {
                earlier = Op::combine(state_before_warp(threadIdx.x / 32), earlier);
            }
            const unsigned i = shared_.ends[at + __ffs(static_cast<int>(last)) - 1];
            shared_.pieces[i] = Op::combine(earlier, head);
        }
        __syncthreads();
        write_results(segment, ended);
        if (threadIdx.x == 0) {
            const auto rest = state_before_warp(kWarps);
            carry_ = ended > 0 ? rest : Op::combine(carry_, rest);
            shared_.warp_breaks = 0;
        }
    }

    /// The step of the walk that the next trip begins with.
    __device__ __forceinline__ Index step() const { return element_ + kStepsOfEnd * segment_; }

    /// Goes on behind the `ended` segments, and as many of the elements behind them as the trip has
    /// room for and the share has steps.
    __device__ __forceinline__ void advance(const Run<T>& from, unsigned ended) {
        element_ = from.end;
        if (ended > 0) {
            segment_ += ended;
            const Index begin = segments_.begin(segment_);
            const Index steps = kStepsOfEnd * segment_;
            const Index budget = stop_ > steps ? stop_ - steps : 0;
            element_ = ended == kEnds ? begin : min(from.end, max(begin, budget));
        }
    }

    /// Makes room for the marks of the next trip.
    __device__ __forceinline__ void clear() {
        for (unsigned i = threadIdx.x; i < kElements / 32; i += block) {
            shared_.last[i] = 0;
        }
        if (threadIdx.x == 0) {
            shared_.ended = 0;
        }
    }

    /// Combines the thread's elements, of those in [padding, count) of the run.
    __device__ __forceinline__ void combine(const Run<T>& from, unsigned count, unsigned last,
                                            State& head, State& state) {
        const unsigned at = threadIdx.x * kItems;
        const Index index = from.begin + at - from.padding;
        if (last == 0 && at >= from.padding && at + kItems <= count) {
            state = combine_whole(index);
        } else if (at < count) {
            combine_pieces(index, from.padding, count, last, head, state);
        }
    }

    /// The combination of the thread's elements, all of one segment.
    __device__ __forceinline__ State combine_whole(Index index) const {
        State state = Op::identity();
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const auto loaded = shared_.packs[place(threadIdx.x * unroll + u)];
            state = Op::combine(state, combine_pack<Op, T, pack>(loaded, index + u * pack));
        }
        return state;
    }

    /// The same of several segments. Pieces that begin and end among the elements are done.
    __device__ __forceinline__ void combine_pieces(Index index, unsigned padding, unsigned count,
                                                   unsigned last, State& head, State& state) {
        bool begun = false;  // a segment has ended
        const unsigned at = threadIdx.x * kItems;
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const auto elements = __builtin_bit_cast(
                Pack<T, pack>, shared_.packs[place(threadIdx.x * unroll + u)]);
#pragma unroll
            for (int j = 0; j < pack; ++j) {
                const unsigned i = u * pack + j;
                if (at + i >= padding && at + i < count) {
                    state = Op::combine(state, Op::map(elements.values[j], index + i));
                }
                if ((last >> i & 1) != 0) {
                    if (begun) {
                        shared_.pieces[shared_.ends[at + i]] = state;
                    } else {
                        head = state;
                    }
                    begun = true;
                    state = Op::identity();
                }
            }
        }
    }

    /// Of the elements of the trip that lie before a warp, the combination behind the last end.
    __device__ __forceinline__ State state_before_warp(unsigned warp) const {
        const unsigned breaks = shared_.warp_breaks;
        State state = Op::identity();
        for (unsigned i = 0; i < warp; ++i) {
            const auto of_warp = shared_.warp_states[i];
            state = (breaks >> i & 1) != 0 ? of_warp : Op::combine(state, of_warp);
        }
        return state;
    }

    /// Writes the results of the segments that end in the trip. That of one that began in an
    /// earlier share is left to finish_crossing().
    __device__ __forceinline__ void write_results(Index segment, unsigned ended) {
#pragma unroll
        for (int k = 0; k < kEndsOfThread; ++k) {
            const unsigned i = threadIdx.x + k * block;
            if (i < ended) {
                State state = shared_.pieces[i];
                if (i == 0) {
                    state = Op::combine(carry_, state);
                }
                if (continues_ && segment + i == first_) {
                    partials_[2 * blockIdx.x] = state;
                } else {
                    write_result<Op>(segments_, segment + i, state);
                }
            }
        }
    }

    /// A segment of several shares is finished by the last of their blocks to arrive at the ticket
    /// of the first. The first block has left its state in the second of its two partials, the
    /// others in the first of theirs.
    __device__ __forceinline__ void finish_crossing(Index before, Index after) {
        if (before == kNone && after == kNone) {
            return;
        }
        __shared__ bool arrived_last[2];
        __syncthreads();
        if (threadIdx.x < 2) {
            const Index segment = threadIdx.x == 0 ? before : after;
            arrived_last[threadIdx.x] = false;
            if (segment != kNone) {
                const Index first = step_of_begin(segments_, segment) / share_;
                const Index blocks = step_of_end(segments_, segment) / share_ - first + 1;
                arrived_last[threadIdx.x] =
                    arrives_last(tickets_ + first, static_cast<unsigned>(blocks));
            }
        }
        __syncthreads();
        for (int side = 0; side < 2; ++side) {
            if (!arrived_last[side]) {
                continue;
            }
            const Index segment = side == 0 ? before : after;
            const Index first = step_of_begin(segments_, segment) / share_;
            const Index blocks = step_of_end(segments_, segment) / share_ - first + 1;
            auto state = Op::identity();
            for (Index i = threadIdx.x; i < blocks; i += block) {
                state = Op::combine(state, partials_[2 * (first + i) + (i == 0 ? 1 : 0)]);
            }
            state = combine_block<Op, block>(state);
            if (threadIdx.x == 0) {
                write_result<Op>(segments_, segment, state);
            }
            __syncthreads();
        }
    }

    const Segments<T, R>& segments_;
    const Index share_;  ///< steps of each block
    const Index begin_;  ///< steps of this block: [begin_, stop_)
    const Index stop_;
    State* const partials_;
    unsigned* const tickets_;
    Shared& shared_;
    Loaded loaded_;              ///< the elements of the next trip
    Index ends_[kEndsOfThread];  ///< the ends of its segments
    Index segment_ = 0;  ///< the segment that the next trip begins in
    Index element_ = 0;  ///< the element that it begins with
    Index first_ = 0;    ///< the segment that the share begins in
    bool continues_ = false;  ///< it began in an earlier share
    State carry_ = Op::identity();  ///< thread 0: of the elements of segment_ that trips took
};

}  // namespace jitune
