// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_call.hpp"

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "families/reduce/custom_operation.hpp"
#include "families/reduce/reduce_reference.hpp"
#include "families/reduce/reduce_types.hpp"
#include "spread/shard_call.hpp"
#include "support/hash.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kCall = "reduce";

/// "3 x 4 elements".
std::string text_of(const detail::ReduceShape& shape) {
    switch (shape.kind) {
        case ReduceKind::all:
            return fmt::format("{} elements", shape.inner);
        case ReduceKind::segments:
            return fmt::format("{} segments of {} elements", shape.outer, shape.inner);
        default:
            return fmt::format("{} x {} elements", shape.outer, shape.inner);
    }
}

/// Throws Error(usage) for parts of a reduction that contradict each other.
void refuse_bad_reduction(const detail::ReduceRequest& request) {
    const Reduction& reduction = request.reduction;
    to_string(reduction.determinism);  // throws for a value outside the enum
    if ((reduction.op == ReduceOp::custom) != (reduction.custom != nullptr)) {
        throw Error(ErrorKind::usage,
                    "reduce: ReduceOp::custom needs a CustomOperation: make the Reduction from it");
    }
    if (reduction.custom != nullptr && reduction.custom->result != request.result) {
        throw Error(
            ErrorKind::usage,
            fmt::format("reduce: the custom operation {} gives {}, not {}", reduction.custom->name,
                        to_string(reduction.custom->result), to_string(request.result)));
    }
    if ((reduction.determinism == Determinism::pinned) == reduction.configuration.empty()) {
        throw Error(
            ErrorKind::usage,
            "reduce: Determinism::pinned and a configuration come together: "
            "Reduction(op, \"block=256 ...\") with the text of DispatchInfo::configuration");
    }
}

}  // namespace

std::uint64_t variant_of(const Reduction& reduction) {
    const std::uint64_t operation =
        reduction.custom == nullptr ? 0 : fingerprint(*reduction.custom);
    return quick_hash(reduction.configuration, operation) | 1;
}

void refuse_bad_shape(const detail::ReduceShape& shape) {
    const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
    const std::int64_t most_inner =
        matrix && shape.outer > 1 ? kMostElements / shape.outer : kMostElements;
    const bool negative = shape.outer < 0 || shape.inner < 0;
    if (negative || shape.outer > kMostElements || shape.inner > most_inner) [[unlikely]] {
        throw Error(ErrorKind::usage,
                    fmt::format("reduce {}: {}", text_of(shape),
                                negative ? "counts must not be negative" : "at most 2^40"));
    }
}

void throw_bad_data(const detail::ReduceRequest& request, const detail::ReduceData& data) {
    if (bytes_of(request.element) == 0 || bytes_of(request.result) == 0) {
        throw Error(ErrorKind::usage, "reduce: invalid ElementType value");
    }
    refuse_bad_pointer(kCall, "the input", data.values, bytes_of(request.element));
    refuse_bad_pointer(kCall, "the result", data.results, bytes_of(request.result));
    if (request.shape.kind == ReduceKind::segments) {
        refuse_bad_pointer(kCall, "the array of offsets", data.offsets, sizeof *data.offsets);
    }
    throw Error(ErrorKind::usage,
                "reduce: the results overlap the values or the offsets: give them memory of their "
                "own");
}

std::array<std::byte, 8> nothing_of(const detail::ReduceRequest& request) {
    const ReduceOp op = request.reduction.op;
    accumulator_of(request.element, op, request.result);
    if (request.shape.kind == ReduceKind::segments &&
        (op == ReduceOp::arg_min || op == ReduceOp::arg_max)) {
        return std::bit_cast<std::array<std::byte, 8>>(std::int64_t{-1});
    }
    return value_of_nothing(request.reduction.op, request.result);
}

void write_nothing(Device& device, const detail::ReduceRequest& request, void* results,
                   Stream stream) {
    if (result_count(request.shape) == 0) {
        return;
    }
    refuse_bad_pointer(kCall, "the result", results, bytes_of(request.result));
    const auto value = nothing_of(request);
    device.write(results, std::span(value).first(bytes_of(request.result)),
                 result_count(request.shape), stream);
}

const Resolved& ReduceCall::answer(Engine& engine, const DispatchKey& key, Device& device) const {
    refuse_bad_reduction(request_);
    const CustomOperation* const custom = request_.reduction.custom;
    const Problem problem = reduce_problem(request_);
    const PlatformKind platform = device.info().platform;
    if (custom != nullptr) {
        const Kernel kernel = custom_reduce_kernel(request_.shape.kind, platform, *custom);
        return engine.resolve(key, {device, kernel, problem});
    }
    return engine.resolve(key, {device, reduce_kernel(request_.shape.kind, platform), problem});
}

namespace {

using detail::ReduceData;
using detail::ReduceRequest;
using detail::ReduceShape;
using detail::ShardData;

constexpr std::size_t kSlotBytes = 8;  // of the largest result

/// The operation that combines the results of the shards.
ReduceOp combination_of(ReduceOp op) {
    const ReduceOpRow& row = operation_row(op);
    if (!row.joined_by) {
        throw Error(ErrorKind::usage,
                    fmt::format("reduce on shards: the results of \"{}\" cannot be combined: "
                                "reduce on one GPU",
                                row.name));
    }
    return *row.joined_by;
}

bool finds_an_index(ReduceOp op) {
    return operation_row(op).kind == ResultKind::index;
}

/// The reduction of one shard, in the type of the accumulator where that of the result rounds. For
/// a mean it is the sum, as in the kernels.
ReduceRequest part_of(const ReduceRequest& request, std::int64_t count) {
    const ReduceOp op = request.reduction.op;
    const bool rounds = step_of(request.result) > 0;
    ReduceRequest part = request;
    part.shape = ReduceShape::all(count);
    if (op == ReduceOp::mean || (rounds && operation_row(op).decisive == Decisive::none)) {
        part.result = accumulator_of(request.element, op, request.result);
    }
    if (op == ReduceOp::mean) {
        part.reduction.op = ReduceOp::sum;
    }
    return part;
}

/// The reduction of `count` values in host memory, in their order.
std::vector<std::byte> combined(ElementType element, ReduceOp op, ElementType result,
                                std::span<const std::byte> values) {
    const auto count = static_cast<std::int64_t>(values.size() / bytes_of(element));
    return reduce_reference({element, op, result}, layout_of(ReduceKind::all, 1, count), values)
        .values;
}

/// The results of the shards of one call: each GPU has one slot for the result of every shard.
class Partials {
public:
    Partials(Engine& engine, const ReduceRequest& request, std::span<const ShardData> shards,
             StreamGroup& group)
        : engine_(engine), request_(request), shards_(shards), group_(group) {
        for (std::size_t i = 0; i < shards.size(); ++i) {
            group.enter(i);
            const ReduceRequest part = part_of(request, shards[i].count);
            if (!is_empty(part.shape)) {
                refuse_bad_data(part, {shards[i].data, nullptr, this});
                resolve_reduce(engine, group.stream(i).site->device(), part);  // may take long
            }
        }
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_of(part_of(request_, 0).result); }

    /// Enqueues the reduction of each shard to its own slot. Call under the group's lock.
    void enqueue() {
        for (std::size_t i = 0; i < shards_.size(); ++i) {
            group_.enter(i);
            const StreamGroup::Lane lane = group_.stream(i);
            slots_.push_back(group_.side(i).site->scratch({kSlotBytes * shards_.size(), 0}).plain);
            const ReduceRequest part = part_of(request_, shards_[i].count);
            if (is_empty(part.shape)) {
                write_nothing(lane.site->device(), part, slot(i), lane.stream);
            } else {
                const ReduceData data{shards_[i].data, nullptr, slot(i)};
                launch(engine_, *lane.site, ReduceCall(part, data), lane.stream);
            }
        }
    }

    /// Waits for the results and returns them.
    [[nodiscard]] std::vector<std::byte> read() const {
        std::vector<const void*> from;
        for (std::size_t i = 0; i < shards_.size(); ++i) {
            from.push_back(slot(i));
        }
        return read(from, bytes());
    }

    /// Waits for the streams, then copies as many bytes from each GPU.
    [[nodiscard]] std::vector<std::byte> read(std::span<const void* const> from,
                                              std::size_t bytes_each) const {
        std::vector<std::byte> values(from.size() * bytes_each);
        group_.read_back(from, values);
        return values;
    }

    /// Sends the results of all shards to every GPU.
    void share() const {
        std::vector<ByteRange> ranges;
        for (std::size_t i = 0; i < shards_.size(); ++i) {
            ranges.push_back({i * bytes(), bytes()});
        }
        group_.all_gather(slots_, ranges);
    }

    [[nodiscard]] void* slots(std::size_t member) const { return slots_[member]; }

private:
    [[nodiscard]] void* slot(std::size_t shard) const {
        return static_cast<std::byte*>(slots_[shard]) + shard * bytes();
    }

    Engine& engine_;
    const ReduceRequest& request_;
    std::span<const ShardData> shards_;
    StreamGroup& group_;
    std::vector<void*> slots_;
};

/// The index in the whole array of the best of the elements that the shards name; the first of
/// equal ones.
std::int64_t best_index(const ReduceRequest& request, std::span<const ShardData> shards,
                        const Partials& partials, std::span<const std::byte> answers) {
    std::vector<std::int64_t> indexes(shards.size());
    std::memcpy(indexes.data(), answers.data(), answers.size());
    const std::size_t bytes = bytes_of(request.element);
    std::vector<const void*> from;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const auto* const data = static_cast<const std::byte*>(shards[i].data);
        from.push_back(data + static_cast<std::size_t>(indexes[i]) * bytes);
    }
    const std::vector<std::byte> elements = partials.read(from, bytes);
    const auto best = combined(request.element, request.reduction.op, ElementType::int64, elements);
    std::int64_t winner = 0;
    std::memcpy(&winner, best.data(), sizeof winner);
    std::int64_t index = indexes[static_cast<std::size_t>(winner)];
    for (std::int64_t before = 0; before < winner; ++before) {
        index += shards[static_cast<std::size_t>(before)].count;
    }
    return index;
}

/// Divides as the kernels do: sum and number are first converted to the type of the quotient.
void write_mean(ElementType accumulator, ElementType type, std::span<const std::byte> sum,
                std::int64_t n, void* result) {
    visit_element(type, [&]<class R>(R) {
        using Real = std::conditional_t<std::is_same_v<R, double>, double, float>;
        const auto total = visit_element(accumulator, [&]<class A>(A) {
            return static_cast<Real>(readable_element<A>(sum, 0));
        });
        const auto mean = static_cast<R>(total / static_cast<Real>(n));
        std::memcpy(result, &mean, sizeof mean);
    });
}

/// The shards that have elements.
std::vector<ShardData> filled(std::span<const ShardData> shards) {
    std::vector<ShardData> some(shards.begin(), shards.end());
    std::erase_if(some, [](const ShardData& shard) { return shard.count <= 0; });
    return some;
}

/// The reduction of the shards' results on the GPU of `site`. It has the configuration of the first
/// GPU, so that all GPUs get the same bits.
ReduceRequest combination(Engine& engine, StreamSite& first, StreamSite& site,
                          const ReduceRequest& request, std::size_t shards) {
    ReduceRequest all{request.result, request.result,
                      Reduction(combination_of(request.reduction.op)),
                      ReduceShape::all(static_cast<std::int64_t>(shards))};
    const std::string& wanted = resolve_reduce(engine, first.device(), all).info.configuration;
    if (resolve_reduce(engine, site.device(), all).info.configuration != wanted) {
        all.reduction = Reduction(all.reduction.op, wanted);
        resolve_reduce(engine, site.device(), all);
    }
    return all;
}

}  // namespace

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

void reduce_shards(Session& session, const ReduceRequest& request,
                   std::span<const ShardData> shards, void* result) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    const std::int64_t n = count_of("reduce", shards, shards.size());
    const ReduceOp combination = combination_of(request.reduction.op);
    const std::vector<ShardData> some = filled(shards);
    if (some.empty()) {
        const auto nothing = nothing_of(request);
        std::memcpy(result, nothing.data(), bytes_of(request.result));
        return;
    }
    const auto group = group_of(engine, some, std::vector<void*>(some.size()));
    Partials partials(engine, request, some, *group);
    const auto lock = group->lock();  // held while waiting, since the slots belong to the streams
    partials.enqueue();
    const std::vector<std::byte> answers = partials.read();
    if (finds_an_index(request.reduction.op)) {
        const std::int64_t index = best_index(request, some, partials, answers);
        std::memcpy(result, &index, sizeof index);
        return;
    }
    const ElementType part = part_of(request, n).result;
    if (request.reduction.op == ReduceOp::mean) {
        const auto sum = combined(part, combination, part, answers);
        return write_mean(part, request.result, sum, n, result);
    }
    const auto value = combined(part, combination, request.result, answers);
    std::memcpy(result, value.data(), value.size());
} catch (...) {
    throw_as_error();
}

void reduce_shards_async(Session& session, const ReduceRequest& request,
                         std::span<const ShardData> shards, std::span<void* const> results) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    count_of("reduce", shards, results.size());
    const ReduceOp op = request.reduction.op;
    combination_of(op);
    if (finds_an_index(op) || op == ReduceOp::mean) {
        throw Error(
            ErrorKind::usage,
            fmt::format("reduce on shards: {} cannot be computed on every GPU: use the form "
                        "that returns the value{}",
                        to_string(op), op == ReduceOp::mean ? ", or reduce to the sum" : ""));
    }
    accumulator_of(request.element, op, request.result);  // throws for an unsupported result type
    if (const ElementType part = part_of(request, 0).result; part != request.result) {
        throw Error(ErrorKind::usage,
                    fmt::format("reduce on shards: {} as {} cannot be computed on every GPU: ask "
                                "for {}, or use the form that returns the value",
                                to_string(op), to_string(request.result), to_string(part)));
    }
    const auto group = group_of(engine, shards, results);
    Partials partials(engine, request, shards, *group);
    std::vector<ReduceRequest> last;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        group->enter(i);
        last.push_back(combination(engine, *group->stream(0).site, *group->stream(i).site, request,
                                   shards.size()));
        refuse_bad_data(last[i], {&partials, nullptr, results[i]});
        ReduceRequest own = request;
        own.shape = ReduceShape::all(shards[i].count);
        if (!is_empty(own.shape)) {
            refuse_bad_data(own, {shards[i].data, nullptr, results[i]});
        }
    }
    const auto lock = group->lock();
    partials.enqueue();
    partials.share();
    for (std::size_t i = 0; i < shards.size(); ++i) {
        group->enter(i);
        const ReduceData data{partials.slots(i), nullptr, results[i]};
        const StreamGroup::Lane lane = group->stream(i);
        launch(engine, *lane.site, ReduceCall(last[i], data), lane.stream);
    }
} catch (...) {
    throw_as_error();
}

}  // namespace detail

JITUNE_END_NAMESPACE
