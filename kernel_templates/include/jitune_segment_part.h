// The part of one warp in a walk over segments (jitune_segment_walk.h). It waits for no other warp.
#pragma once

#include "jitune_segment_chunk.h"

namespace jitune {

/// A part of the walk, the steps [begin, stop), by one warp. Chunks of kElements positions are
/// combined one after the other; positions count elements from an aligned address, `shift` elements
/// before the first value. A chunk in which few segments end is combined row by row as it was
/// loaded, and over the lanes at each end. Any other one goes through shared memory, so that each
/// lane has kItems elements in a row. It combines them up to each, anew behind each end of a
/// segment; what the lanes before have left is added where a segment's state is read. At most kEnds
/// segments end in one pass over a chunk.
///
///     segments   ------|----------|----|--|-----------------------|--------
///     chunks       [           |           |           |          )
///                 begin         through shared memory             stop
///
/// The first segment that ends in the part may have begun before it: its state is the `head`. What
/// is left behind the last end is the `tail`.
template <class Op, int pack, int unroll, class T, class R>
class SegmentPart {
public:
    using State = typename Op::State;

private:
    using Loaded = Word<T, pack>;
    using Signed = long long;
    static constexpr int kItems = pack * unroll;
    static_assert(kItems >= 4 && kItems % 4 == 0);
    static constexpr unsigned kElements = 32 * kItems;
    static constexpr unsigned kFew = kItems / 4;
    static constexpr int kEndsOfLane = kItems < 16 ? 1 : kItems / 8;
    static constexpr unsigned kEnds = 32 * kEndsOfLane;
    /// More than a pass takes.
    static constexpr Signed kStepsOfPass = 2 * kElements + kStepsOfEnd * kEnds;
    static constexpr unsigned kAll = 0xffffffffu;
    using Chunk = StagedChunk<Op, pack, unroll, T>;

public:
    using Shared = typename Chunk::Shared;

    __device__ __forceinline__ SegmentPart(const Segments<T, R>& segments, Index begin, Index stop,
                                           Shared& shared)
        : segments_(segments),
          staged_{shared},
          shift_((pack - elements_to_alignment<T, pack>(segments.values)) % pack),
          begin_(begin),
          stop_(stop) {}

    /// Writes the results of all segments that end in the part but the first of them.
    __device__ __forceinline__ void reduce() {
        const Index steps = segments_.begin(segments_.count) + kStepsOfEnd * segments_.count;
        stop_ = min(stop_, steps);
        first_ = begin_ < stop_ ? ends_before(segments_, begin_) : segments_.count;
        segment_ = first_;
        if (first_ == segments_.count) {
            return;
        }
        const Index first_begin = segments_.begin(first_);
        continues_ = first_begin + kStepsOfEnd * first_ < begin_;
        open_begin_ = shift_ + first_begin;
        const Index element = continues_ ? shift_ + begin_ - kStepsOfEnd * first_ : open_begin_;
        base_ = element / pack * pack;
        at_ = static_cast<unsigned>(element - base_);
        room_ = static_cast<Signed>(stop_ + shift_ - base_ - kStepsOfEnd * first_);
        if (more()) {
            walk();
        }
    }

    /// The segment that the part begins in, and whether it began before the part.
    __device__ __forceinline__ Index first() const { return first_; }
    __device__ __forceinline__ bool continues() const { return continues_; }
    /// The segment that the part stops in; all of them: none.
    __device__ __forceinline__ Index open() const { return segment_; }
    /// Whether the first segment ends in the part, and its state there, which lane 0 has.
    __device__ __forceinline__ bool has_head() const { return has_head_; }
    __device__ __forceinline__ State head() const { return head_; }
    /// The state of the open segment in the part, in all lanes. All 32 call it.
    __device__ __forceinline__ State tail() const {
        return spread_ ? combine_warp<Op>(state_) : state_of_lane(state_, 31);
    }

private:
    /// The warp has more to do.
    __device__ __forceinline__ bool more() const { return static_cast<Signed>(at_) < room_; }

    __device__ __forceinline__ void walk() {
        staged_.clear();
        __syncwarp();
        load(0);
        load_ends();
        while (more()) {
            if (at_ == 0 && is_inside(3 * kElements, 0)) {
                reduce_whole();
            }
            const unsigned end = relative(ends_[0]);
            const unsigned ended = __popc(__ballot_sync(kAll, end <= kElements));
            if (at_ == 0 && ended <= kFew && is_inside(0, kStepsOfEnd * kFew)) {
                reduce_rows(end, ended);
            } else {
                reduce_staged();
            }
            base_ += kElements;
            room_ -= static_cast<Signed>(kElements);
            at_ = 0;
        }
    }

    /// All of the chunk `ahead` of base_ lies among the values and in this part, and `steps` behind
    /// it in this part.
    __device__ __forceinline__ bool is_inside(unsigned ahead, Index steps) const {
        return base_ + ahead >= shift_ && base_ + ahead + kElements <= segments_.n + shift_ &&
               room_ >= static_cast<Signed>(ahead + kElements + steps);
    }

    /// The lane's first pack of the chunk `ahead` of base_.
    __device__ __forceinline__ const Loaded* packs(unsigned ahead) const {
        return reinterpret_cast<const Loaded*>(segments_.values - shift_) + (base_ + ahead) / pack +
               lane_;
    }

    /// Has the chunk `ahead` of base_ on its way, as far as this part goes.
    __device__ __forceinline__ void load(unsigned ahead) {
        if (is_inside(ahead, 0)) {
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                loaded_[u] = packs(ahead)[u * 32];
            }
        } else {
            const Index end = segments_.n + shift_;
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                const Index position = base_ + ahead + (lane_ + u * 32) * pack;
                if (static_cast<Signed>(position - base_) < room_ && position >= shift_ &&
                    position + pack <= end) {
                    loaded_[u] = packs(ahead)[u * 32];
                }
            }
        }
    }

    __device__ __forceinline__ void load_ends() {
        const long long* ends = segments_.offsets + segment_ + 1 + lane_;
        const Index left = segments_.count - segment_;
#pragma unroll
        for (int k = 0; k < kEndsOfLane; ++k) {
            const bool is_there = lane_ + k * 32 < left;
            ends_[k] = is_there ? static_cast<Index>(ends[k * 32]) : ~Index{0} - shift_;
        }
    }

    /// Where the chunk's element before the end lies, plus 1; large for ends behind the chunk.
    __device__ __forceinline__ unsigned relative(Index end) const {
        const Index from_base = end + shift_ - base_;
        return from_base > kElements ? kElements + 1 : static_cast<unsigned>(from_base);
    }

    /// Reduces chunks that lie in the open segment, down to the last two of them; none of fewer
    /// than four. Two chunks are on their way at a time.
    __device__ __forceinline__ void reduce_whole() {
        const Index end = __shfl_sync(kAll, ends_[0], 0) + shift_;
        const Index behind = min(max(end, base_ + 1) - 1, segments_.n + shift_);
        Index chunks = min(behind - base_, static_cast<Index>(room_)) / kElements;
        if (chunks < 4) {
            return;
        }
        const Index done = (chunks - 2) / 2 * 2 + 1;
        const Loaded* next = packs(kElements);
        Index place = base_ + lane_ * pack - open_begin_;
        Loaded ahead[unroll];
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            ahead[u] = next[u * 32];
        }
        for (; chunks >= 4; chunks -= 2) {
            next += 32 * unroll;
            combine_chunk(loaded_, place, next);
            next += 32 * unroll;
            combine_chunk(ahead, place + kElements, next);
            place += 2 * kElements;
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            state_ = Op::combine(
                state_, combine_pack<Op, T, pack>(loaded_[u], place + u * 32 * pack));
            loaded_[u] = ahead[u];
        }
        spread_ = true;
        base_ += done * kElements;
        room_ -= static_cast<Signed>(done * kElements);
    }

    /// Combines the chunk and has the one at `next` on its way in its place.
    __device__ __forceinline__ void combine_chunk(Loaded (&chunk)[unroll], Index place,
                                                  const Loaded* next) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            state_ = Op::combine(
                state_, combine_pack<Op, T, pack>(chunk[u], place + u * 32 * pack));
            chunk[u] = next[u * 32];
        }
    }

    /// Reduces the chunk at base_, all of it inside, in which `ended` segments end, segment_ + i
    /// before element `end` of lane i. It goes row by row; each row that is done makes room for a
    /// row of the next chunk.
    __device__ __forceinline__ void reduce_rows(unsigned end, unsigned ended) {
        const bool next_is_inside = is_inside(kElements, kStepsOfEnd * ended);
        State mine = Op::identity();
        unsigned i = 0;
        unsigned stop = __shfl_sync(kAll, end, 0);
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const unsigned row = u * 32 * pack;
            const unsigned row_end = row + 32 * pack;
            unsigned from = row;
            while (stop <= row_end) {
                add(u, from, stop);
                const auto whole = combine_warp<Op>(state_);
                mine = lane_ == i ? whole : mine;
                state_ = Op::identity();
                from = stop;
                open_begin_ = base_ + stop;
                ++i;
                stop = __shfl_sync(kAll, end, i);
            }
            if (from == row) {
                const Index place = base_ + row + lane_ * pack - open_begin_;
                state_ = Op::combine(state_, combine_pack<Op, T, pack>(loaded_[u], place));
            } else {
                add(u, from, row_end);
            }
            if (next_is_inside) {
                loaded_[u] = packs(kElements)[u * 32];
            }
        }
        spread_ = true;
        room_ -= static_cast<Signed>(kStepsOfEnd * ended);
        if (!next_is_inside) {
            load(kElements);
        }
        if (ended > 0) {
            finish(segment_, 0, ended, mine);
            segment_ += ended;
            has_head_ = true;
            load_ends();
        }
    }

    /// Combines of row u the elements [from, to) of the chunk, each lane its own.
    __device__ __forceinline__ void add(int u, unsigned from, unsigned to) {
        const auto elements = __builtin_bit_cast(Pack<T, pack>, loaded_[u]);
        const unsigned first = (u * 32 + lane_) * pack;
#pragma unroll
        for (int j = 0; j < pack; ++j) {
            if (first + j - from < to - from) {
                state_ = Op::combine(
                    state_, Op::map(elements.values[j], base_ + first + j - open_begin_));
            }
        }
    }

    /// Writes the result of segment `first` + lane + 32 k, of those that end, or keeps the head.
    __device__ __forceinline__ void finish(Index first, int k, unsigned ended, const State& state) {
        const unsigned i = lane_ + k * 32;
        if (i < ended) {
            if (i == 0 && !has_head_) {
                head_ = state;
            } else {
                write_result<Op>(segments_, first + i, state);
            }
        }
    }

    __device__ __forceinline__ void reduce_staged() {
        stage();
        load(kElements);
        do {
            pass();
        } while (at_ < kElements && more());
    }

    /// Writes the chunk to shared memory. Packs that only partly lie among the values, the first
    /// and the last one of all, are read here.
    __device__ __forceinline__ void stage() {
        staged_.store(loaded_);
        const Index end = segments_.n + shift_;
        if (base_ < shift_ || base_ + kElements > end) {
            __syncwarp();
            for (unsigned i = lane_; i < kElements; i += 32) {
                const Index position = base_ + i;
                const Index first = position / pack * pack;
                const bool partly = first < shift_ || first + pack > end;
                if (partly && position >= shift_ && position < end) {
                    staged_.set(i, segments_.values[position - shift_]);
                }
            }
        }
    }

    /// Reduces the elements of the staged chunk from at_ on: to its end, to the end of the part, or
    /// as far as kEnds segments go.
    __device__ __forceinline__ void pass() {
        const unsigned from = at_;
        const Index segment = segment_;
        const auto room = static_cast<unsigned>(min(room_, kStepsOfPass));
        unsigned ended = 0;
        unsigned ends[kEndsOfLane];
        unsigned previous[kEndsOfLane];
        unsigned last = from;
        if (from > 0 && lane_ == 0) {
            staged_.mark(from);
        }
#pragma unroll
        for (int k = 0; k < kEndsOfLane; ++k) {
            ends[k] = relative(ends_[k]);
            const bool is_end = ends[k] <= kElements &&
                                ends[k] + unsigned{kStepsOfEnd} * (lane_ + k * 32) < room;
            const unsigned all = __ballot_sync(kAll, is_end);
            const unsigned below = __shfl_up_sync(kAll, ends[k], 1);
            previous[k] = lane_ == 0 ? last : below;
            if (is_end && ends[k] > previous[k]) {
                staged_.mark(ends[k]);
            }
            const unsigned count = __popc(all);
            const unsigned end_of_last = __shfl_sync(kAll, ends[k], count > 0 ? count - 1 : 0);
            last = count > 0 ? end_of_last : last;
            ended += count;
        }
        const bool is_full = ended == kEnds;
        room_ -= static_cast<Signed>(kStepsOfEnd * ended);
        const unsigned room_left = room - unsigned{kStepsOfEnd} * ended;
        const unsigned reach = static_cast<int>(room_left) < 0 ? 0 : min(kElements, room_left);
        at_ = is_full ? last : max(last, reach);
        if (at_ < kElements && at_ > last && lane_ == 0) {
            staged_.mark(at_);
        }
        __syncwarp();
        if (ended > 0) {
            segment_ += ended;
            load_ends();
        }
        if constexpr (kUsesPlace<Op>) {  // the open segment may have no more elements
            open_begin_ = __shfl_sync(kAll, ends[0], 0) == from ? base_ + from : open_begin_;
        }
        const State left = staged_.combine(tail(), from, at_, base_ - open_begin_);
        open_begin_ = ended > 0 ? base_ + last : open_begin_;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < kEndsOfLane; ++k) {
            const bool has_elements = lane_ + k * 32 < ended && ends[k] > previous[k];
            finish(segment, k, ended,
                   has_elements ? staged_.piece(ends[k], previous[k]) : Op::identity());
        }
        has_head_ = has_head_ || ended > 0;
        spread_ = false;
        state_ = Op::identity();
        if (lane_ == 31) {
            if (at_ == kElements) {
                state_ = left;
            } else if (at_ > last) {
                state_ = staged_.piece(at_, last);
            }
        }
    }

    const Segments<T, R>& segments_;
    const Chunk staged_;
    const unsigned lane_ = threadIdx.x % 32;
    const unsigned shift_;
    const Index begin_;
    Index stop_;
    Loaded loaded_[unroll];    ///< the chunk at base_, or the next one
    Index ends_[kEndsOfLane];  ///< the ends of the segments from segment_ on
    Index base_ = 0;           ///< the chunk's position
    unsigned at_ = 0;          ///< the chunk's next element
    Signed room_ = 0;          ///< steps from base_ to the end of the part, in the open segment
    Index first_ = 0;
    Index segment_ = 0;             ///< the open segment
    Index open_begin_ = 0;          ///< its first position
    State state_ = Op::identity();  ///< of the open segment; if not spread_, lane 31 has all of it
    bool continues_ = false;
    bool spread_ = false;
    bool has_head_ = false;
    State head_ = Op::identity();
};

}  // namespace jitune
