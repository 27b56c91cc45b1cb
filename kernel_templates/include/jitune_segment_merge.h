// The share of a block in a walk over segments (jitune_segment_walk.h), and how shares are joined.
#pragma once

#include "jitune_segment_part.h"
#include "jitune_ticket.h"

namespace jitune {

/// Each warp reduces a part of the block's share; the block joins what its warps leave of the
/// segments that cross their parts, and the last block to arrive what blocks leave.
template <class Op, int block, int pack, int unroll, class T, class R>
class SegmentMerge {
    using Part = SegmentPart<Op, pack, unroll, T, R>;
    using State = typename Op::State;
    static constexpr int kWarps = block / 32;
    static constexpr Index kNone = ~Index{0};

public:
    struct Shared {
        typename Part::Shared parts[kWarps];
        State heads[kWarps];
        State tails[kWarps];
        Index first[kWarps];  ///< the segment that `heads` belongs to; kNone: none ends in the part
        Index open;           ///< the segment that the share stops in
        bool continues;       ///< the segment that it begins in began before
        Index crossing[2];    ///< the segments of which earlier and later shares have parts
        bool arrived_last[2];
    };

    /// `share`: steps of each block. `partials`: two of each block. `tickets`: one, zero.
    __device__ __forceinline__ SegmentMerge(const Segments<T, R>& segments, Index share,
                                            State* partials, unsigned* tickets, Shared& shared)
        : segments_(segments),
          share_(share),
          partials_(partials),
          tickets_(tickets),
          shared_(shared) {}

    /// Reduces this block's share.
    __device__ __forceinline__ void reduce() {
        const unsigned warp = threadIdx.x / 32;
        const Index begin = blockIdx.x * share_;
        const Index steps = (share_ + kWarps - 1) / kWarps;
        Part part(segments_, begin + min(warp * steps, share_),
                  begin + min((warp + 1) * steps, share_), shared_.parts[warp]);
        part.reduce();
        const State tail = part.tail();
        if (threadIdx.x % 32 == 0) {
            shared_.heads[warp] = part.head();
            shared_.tails[warp] = tail;
            shared_.first[warp] = part.has_head() ? part.first() : kNone;
            if (warp == 0) {
                shared_.continues = part.continues();
            }
            if (warp == kWarps - 1) {
                shared_.open = part.open();
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            join(begin + share_);
        }
        __syncthreads();
        finish_crossing();
    }

private:
    /// Joins the warps' heads and tails.
    __device__ __forceinline__ void join(Index stop) {
        bool continues = shared_.continues;
        State state = Op::identity();
        shared_.crossing[0] = kNone;
        shared_.crossing[1] = kNone;
        for (int warp = 0; warp < kWarps; ++warp) {
            const Index first = shared_.first[warp];
            if (first == kNone) {
                state = Op::combine(state, shared_.tails[warp]);
                continue;
            }
            state = Op::combine(state, shared_.heads[warp]);
            if (continues) {
                leave(0, first, state);
                continues = false;
            } else {
                write_result<Op>(segments_, first, state);
            }
            state = shared_.tails[warp];
        }
        if (shared_.open < segments_.count && step_of_begin(segments_, shared_.open) < stop) {
            leave(continues ? 0 : 1, shared_.open, state);
        }
    }

    __device__ __forceinline__ void leave(int side, Index segment, const State& state) {
        partials_[2 * blockIdx.x + side] = state;
        shared_.crossing[side] = segment;
    }

    /// A segment of several shares is finished by the last of their blocks to arrive at the ticket
    /// of the first. The first block has left its state in the second of its two partials, the
    /// others in the first of theirs.
    __device__ __forceinline__ void finish_crossing() {
        if (shared_.crossing[0] == kNone && shared_.crossing[1] == kNone) {
            return;
        }
        if (threadIdx.x < 2) {
            const Index segment = shared_.crossing[threadIdx.x];
            shared_.arrived_last[threadIdx.x] = false;
            if (segment != kNone) {
                const Index first = step_of_begin(segments_, segment) / share_;
                const Index blocks = step_of_end(segments_, segment) / share_ - first + 1;
                shared_.arrived_last[threadIdx.x] =
                    arrives_last(tickets_ + first, static_cast<unsigned>(blocks));
            }
        }
        __syncthreads();
        for (int side = 0; side < 2; ++side) {
            if (!shared_.arrived_last[side]) {
                continue;
            }
            const Index segment = shared_.crossing[side];
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
    const Index share_;
    State* const partials_;
    unsigned* const tickets_;
    Shared& shared_;
};

}  // namespace jitune
