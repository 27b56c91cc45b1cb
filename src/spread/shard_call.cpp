// SPDX-License-Identifier: Apache-2.0
#include "spread/shard_call.hpp"

#include <algorithm>
#include <optional>

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
        : kernel_(kernel), windows_(windows), work_(work) {
        for (std::size_t i = 0; i < work.shards.size(); ++i) {
            auto* output = static_cast<std::byte*>(work.outputs[i]);
            outputs_.push_back(wanted == ShardOutput::all ? output + work.ranges[i].begin : output);
        }
        for (std::size_t i = 0; i < work.shards.size(); ++i) {
            resolved_.push_back(resolve(engine, group, i));
        }
    }

    void enqueue(StreamGroup& group) const {
        const bool exchange = std::any_of(work_.plans.begin(), work_.plans.end(),
                                          [](const HaloShard& plan) { return plan.band > 0; });
        // All bodies first: the copies and bands that follow run beside them.
        for (std::size_t i = 0; i < work_.plans.size(); ++i) {
            if (exchange) {
                group.fork(i);
            }
            if (work_.plans[i].body > 0) {
                group.enter(i);
                kernel_.launch(group.stream(i), *resolved_[i], body(i));
            }
        }
        if (exchange) {
            enqueue_bands(group);
            group.settle();
        }
    }

    /// False if another answer may take the place of one.
    [[nodiscard]] bool is_final() const {
        return std::none_of(resolved_.begin(), resolved_.end(), [](const Resolved* one) {
            return one != nullptr &&
                   (one->is_makeshift || one->is_retired.load(std::memory_order_relaxed));
        });
    }

    /// The counts of all calls that enqueue() makes.
    [[nodiscard]] std::vector<CallCount*> counts() const {
        std::vector<CallCount*> counts;
        for (std::size_t i = 0; i < work_.plans.size(); ++i) {
            if (work_.plans[i].body > 0) {
                counts.push_back(&kernel_.calls(*resolved_[i], body(i)));
            }
            if (work_.plans[i].band > 0) {
                counts.push_back(&kernel_.calls(*resolved_[i], band(i, {})));
            }
        }
        return counts;
    }

private:
    [[nodiscard]] const std::byte* input(std::size_t shard, std::int64_t unit) const {
        return static_cast<const std::byte*>(work_.shards[shard].data) + windows_.bytes_in(unit);
    }

    [[nodiscard]] UnitArray body(std::size_t shard) const {
        const HaloShard& plan = work_.plans[shard];
        return {plan.body, plan.padded, input(shard, plan.body_from), outputs_[shard]};
    }

    struct Band {
        std::byte *inputs, *outputs;
    };

    [[nodiscard]] UnitArray band(std::size_t shard, const Band& memory) const {
        const HaloShard& plan = work_.plans[shard];
        return {plan.band, plan.padded, memory.inputs, memory.outputs};
    }

    /// The band takes the answer of the body, so that no further problem is tuned.
    const Resolved* resolve(Engine& engine, StreamGroup& group, std::size_t shard) {
        const HaloShard& plan = work_.plans[shard];
        if (plan.outputs == 0) {
            return nullptr;
        }
        group.enter(shard);
        return &kernel_.resolve(engine, *group.stream(shard).site,
                                plan.body > 0 ? body(shard) : band(shard, {}));
    }

    [[nodiscard]] Band band_memory(StreamGroup& group, std::size_t shard) const {
        const HaloShard& plan = work_.plans[shard];
        const std::size_t bytes =
            (windows_.bytes_in(plan.band) + kBandAlignment - 1) / kBandAlignment * kBandAlignment;
        group.enter(shard);
        const Scratch memory =
            group.side(shard).site->scratch({bytes + windows_.bytes_out(plan.band), 0});
        auto* const inputs = static_cast<std::byte*>(memory.plain);
        return {inputs, inputs + bytes};
    }

    void enqueue_bands(StreamGroup& group) const {
        std::vector<Band> bands(work_.plans.size());
        std::vector<GroupCopy> gather;
        for (std::size_t i = 0; i < bands.size(); ++i) {
            if (work_.plans[i].band == 0) {
                continue;
            }
            bands[i] = band_memory(group, i);
            for (const UnitCopy& copy : work_.plans[i].gather) {
                gather.push_back({i,
                                  copy.shard,
                                  {bands[i].inputs + windows_.bytes_in(copy.to),
                                   input(copy.shard, copy.from), windows_.bytes_in(copy.count)}});
            }
        }
        group.exchange(gather);
        for (std::size_t i = 0; i < bands.size(); ++i) {
            if (work_.plans[i].band == 0) {
                continue;
            }
            group.enter(i);
            kernel_.launch(group.side(i), *resolved_[i], band(i, bands[i]));
            group.join();
            std::vector<MemoryCopy> edges;
            for (const UnitCopy& copy : work_.plans[i].edges) {
                edges.push_back({outputs_[i] + windows_.bytes_out(copy.to),
                                 bands[i].outputs + windows_.bytes_out(copy.from),
                                 windows_.bytes_out(copy.count)});
            }
            group.copy(edges);
        }
    }

    ShardKernel& kernel_;
    const Windows& windows_;
    const Work& work_;
    std::vector<std::byte*> outputs_;
    std::vector<const Resolved*> resolved_;
};

std::vector<Stream> streams_of(std::span<const ShardData> shards) {
    std::vector<Stream> streams;
    for (const ShardData& shard : shards) {
        streams.push_back(shard.stream);
    }
    return streams;
}

/// Two calls with one key enqueue the same on the same streams. None for calls that are always
/// enqueued step by step.
std::optional<GroupKey> key_of(Engine& engine, GroupKey words, std::span<const ShardData> shards,
                               std::span<void* const> outputs, ShardOutput wanted) {
    const auto is_plain = [](const ShardData& one) {
        return one.stream != nullptr && one.count > 0;
    };
    if (wanted == ShardOutput::all || shards.size() < 2 ||
        !std::all_of(shards.begin(), shards.end(), is_plain)) {
        return std::nullopt;
    }
    try {
        for (std::size_t i = 0; i < shards.size(); ++i) {
            words.push_back(engine.cuda().site(shards[i].stream).serial());
            words.push_back(static_cast<std::uint64_t>(shards[i].count));
            words.push_back(reinterpret_cast<std::uintptr_t>(shards[i].data));
            words.push_back(reinterpret_cast<std::uintptr_t>(outputs[i]));
        }
    } catch (const Error&) {  // what follows says so, after it has looked at the arrays
        return std::nullopt;
    }
    return words;
}

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

void run_on_shards(Engine& engine, ShardKernel& kernel, const Windows& windows, GroupKey words,
                   std::span<const ShardData> shards, std::span<void* const> outputs,
                   ShardOutput wanted) {
    const std::optional<GroupKey> key = key_of(engine, std::move(words), shards, outputs, wanted);
    if (key && engine.cuda().replay(*key, streams_of(shards))) {
        return;
    }
    const Work work = work_of(windows, shards, outputs, wanted);
    refuse_bad_arrays(windows, work, wanted);
    const auto group = group_of(engine, work.shards, work.outputs);
    const ShardRun run(engine, kernel, windows, *group, work, wanted);
    const auto lock = group->lock();
    run.enqueue(*group);
    if (wanted == ShardOutput::all) {
        group->all_gather(work.outputs, work.ranges);
    } else if (key && run.is_final()) {
        const auto again = [&](StreamGroup& members) { run.enqueue(members); };
        group->learn(*key, again, [&] { return run.counts(); });
    }
}

}  // namespace jitune::internal
