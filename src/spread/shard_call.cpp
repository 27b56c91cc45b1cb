// SPDX-License-Identifier: Apache-2.0
#include "spread/shard_call.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dispatch/answer/call_check.hpp"

namespace jitune::internal {

namespace {

using detail::ShardData;

constexpr std::size_t kBandAlignment = 256;

[[noreturn]] void refuse_shards(const std::string& what, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("{} on shards: {}", what, why));
}

/// One array of the caller's.
struct Area {
    const char* what;  ///< "input" or "output"
    std::size_t shard;
    const void* data;
    std::size_t bytes;

    [[nodiscard]] std::string name() const {
        return fmt::format("the {} of shard {}", what, shard);
    }
};

void refuse_bad_area(const std::string& call, const Area& area, std::size_t alignment) {
    if (area.bytes > 0 && !is_good_pointer(area.data, alignment)) {
        throw_bad_pointer(call + " on shards", area.name(), area.data, alignment);
    }
}

/// The arrays of one call and how the shards share its work.
struct Work {
    std::vector<ShardData> shards;
    std::vector<std::size_t> numbers;  ///< of the shards, in the caller's list
    std::vector<void*> outputs;
    std::vector<HaloShard> plans;
    std::vector<ByteRange> ranges;  ///< by shard: its outputs in an array of all outputs
};

Work work_of(const Windows& windows, std::span<const ShardData> shards,
             std::span<void* const> outputs, ShardOutput wanted) {
    Work work;
    std::vector<std::int64_t> counts;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        if (shards[i].count > 0 || wanted == ShardOutput::all) {
            work.shards.push_back(shards[i]);
            work.numbers.push_back(i);
            work.outputs.push_back(outputs[i]);
            counts.push_back(shards[i].count);
        }
    }
    work.plans = halo_plan(counts, windows.radius, windows.ends);
    std::size_t begin = 0;
    for (const HaloShard& plan : work.plans) {
        work.ranges.push_back({begin, windows.bytes_out(plan.outputs)});
        begin += work.ranges.back().count;
    }
    return work;
}

void refuse_bad_arrays(const Windows& windows, const Work& work, ShardOutput wanted) {
    const std::size_t all = work.ranges.back().begin + work.ranges.back().count;
    std::vector<Area> areas;
    for (std::size_t i = 0; i < work.shards.size(); ++i) {
        areas.push_back({"input", work.numbers[i], work.shards[i].data,
                         windows.bytes_in(work.shards[i].count)});
        refuse_bad_area(windows.name, areas.back(), windows.input_bytes);
    }
    for (std::size_t i = 0; i < work.shards.size(); ++i) {
        const Area output{"output", work.numbers[i], work.outputs[i],
                          wanted == ShardOutput::all ? all : work.ranges[i].count};
        refuse_bad_area(windows.name, output, windows.output_bytes);
        for (const Area& other : areas) {
            if (overlap(output.data, output.bytes, other.data, other.bytes)) {
                refuse_shards(windows.name,
                              fmt::format("{} overlaps {}", output.name(), other.name()));
            }
        }
        areas.push_back(output);
    }
}

/// One call whose arrays have been checked.
class ShardRun {
public:
    ShardRun(Engine& engine, ShardKernel& kernel, const Windows& windows, StreamGroup& group,
             const Work& work, ShardOutput wanted)
        : kernel_(kernel), windows_(windows), group_(group), work_(work) {
        for (std::size_t i = 0; i < work.shards.size(); ++i) {
            auto* output = static_cast<std::byte*>(work.outputs[i]);
            outputs_.push_back(wanted == ShardOutput::all ? output + work.ranges[i].begin : output);
        }
        for (std::size_t i = 0; i < work.shards.size(); ++i) {
            resolved_.push_back(resolve(engine, i));
        }
    }

    void enqueue() const {
        const bool exchange = std::any_of(work_.plans.begin(), work_.plans.end(),
                                          [](const HaloShard& plan) { return plan.band > 0; });
        // All bodies first: the copies and bands that follow run beside them.
        for (std::size_t i = 0; i < work_.plans.size(); ++i) {
            if (exchange) {
                group_.fork(i);
            }
            if (work_.plans[i].body > 0) {
                group_.enter(i);
                kernel_.launch(group_.stream(i), *resolved_[i], body(i));
            }
        }
        for (std::size_t i = 0; i < work_.plans.size(); ++i) {
            if (work_.plans[i].band > 0) {
                enqueue_band(i);
            }
        }
        group_.settle();
    }

private:
    [[nodiscard]] const std::byte* input(std::size_t shard, std::int64_t unit) const {
        return static_cast<const std::byte*>(work_.shards[shard].data) + windows_.bytes_in(unit);
    }

    [[nodiscard]] UnitArray body(std::size_t shard) const {
        const HaloShard& plan = work_.plans[shard];
        return {plan.body, plan.padded, input(shard, plan.body_from), outputs_[shard]};
    }

    /// The band takes the answer of the body, so that no further problem is tuned.
    const Resolved* resolve(Engine& engine, std::size_t shard) {
        const HaloShard& plan = work_.plans[shard];
        if (plan.outputs == 0) {
            return nullptr;
        }
        group_.enter(shard);
        const UnitArray band{plan.band, plan.padded, nullptr, nullptr};
        return &kernel_.resolve(engine, *group_.stream(shard).site,
                                plan.body > 0 ? body(shard) : band);
    }

    void enqueue_band(std::size_t shard) const {
        const HaloShard& plan = work_.plans[shard];
        group_.enter(shard);
        const std::size_t bytes =
            (windows_.bytes_in(plan.band) + kBandAlignment - 1) / kBandAlignment * kBandAlignment;
        const StreamGroup::Lane side = group_.side(shard);
        const Scratch memory = side.site->scratch({bytes + windows_.bytes_out(plan.band), 0});
        auto* const inputs = static_cast<std::byte*>(memory.plain);
        std::byte* const outputs = inputs + bytes;
        for (const UnitCopy& copy : plan.gather) {
            group_.fetch(inputs + windows_.bytes_in(copy.to), copy.shard,
                         input(copy.shard, copy.from), windows_.bytes_in(copy.count));
        }
        kernel_.launch(side, *resolved_[shard], {plan.band, plan.padded, inputs, outputs});
        group_.join();
        for (const UnitCopy& copy : plan.edges) {
            group_.copy(outputs_[shard] + windows_.bytes_out(copy.to),
                        outputs + windows_.bytes_out(copy.from), windows_.bytes_out(copy.count));
        }
    }

    ShardKernel& kernel_;
    const Windows& windows_;
    StreamGroup& group_;
    const Work& work_;
    std::vector<std::byte*> outputs_;
    std::vector<const Resolved*> resolved_;
};

}  // namespace

std::int64_t count_of(const std::string& what, std::span<const ShardData> shards,
                      std::size_t outputs) {
    if (shards.empty()) {
        refuse_shards(what, "no shards were given");
    }
    if (shards.size() != outputs) {
        refuse_shards(what, fmt::format("{} outputs for {} shards: give one for each", outputs,
                                        shards.size()));
    }
    std::int64_t total = 0;
    for (const ShardData& shard : shards) {
        if (shard.count < 0) {
            refuse_shards(what,
                          fmt::format("a shard of {}: counts must not be negative", shard.count));
        }
        if (shard.count > kMostElements - total) {
            refuse_shards(what, "more than 2^40 elements");
        }
        total += shard.count;
    }
    return total;
}

std::unique_ptr<StreamGroup> group_of(Engine& engine, std::span<const ShardData> shards,
                                      std::span<void* const> outputs) {
    std::vector<GroupMember> members;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        members.push_back({shards[i].stream, shards[i].count > 0 ? shards[i].data : outputs[i]});
    }
    return engine.cuda().group(members);
}

void run_on_shards(Engine& engine, ShardKernel& kernel, const Windows& windows,
                   std::span<const ShardData> shards, std::span<void* const> outputs,
                   ShardOutput wanted) {
    const Work work = work_of(windows, shards, outputs, wanted);
    refuse_bad_arrays(windows, work, wanted);
    const auto group = group_of(engine, work.shards, work.outputs);
    const ShardRun run(engine, kernel, windows, *group, work, wanted);
    const auto lock = group->lock();
    run.enqueue();
    if (wanted == ShardOutput::all) {
        group->all_gather(work.outputs, work.ranges);
    }
}

}  // namespace jitune::internal
