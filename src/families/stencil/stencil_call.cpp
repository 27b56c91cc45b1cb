// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_call.hpp"

#include <memory>

#include <fmt/format.h>

#include "dispatch/answer/call_check.hpp"
#include "dispatch/session_access.hpp"
#include "spread/halo_plan.hpp"
#include "spread/machine.hpp"
#include "spread/prepared_call.hpp"
#include "spread/shard_call.hpp"

namespace jitune::internal {

std::size_t stencil_alignment(const detail::StencilRequest& request, const void* input,
                              const void* output) {
    const auto addresses =
        reinterpret_cast<std::uintptr_t>(input) | reinterpret_cast<std::uintptr_t>(output);
    return addresses % kFastAlignment == 0 ? kFastAlignment : bytes_of(request.element);
}

void refuse_bad_stencil_data(const detail::StencilRequest& request, const void* input,
                             const void* output) {
    const std::size_t bytes = bytes_of(request.element);
    refuse_bad_pointer(kStencilFamily, "the input", input, bytes);
    refuse_bad_pointer(kStencilFamily, "the output", output, bytes);
    const auto inputs = static_cast<std::size_t>(request.n);
    const auto outputs = static_cast<std::size_t>(stencil_outputs(request.n, request.stencil));
    if (overlap(input, inputs * bytes, output, outputs * bytes)) {
        throw Error(ErrorKind::usage,
                    "stencil: the output overlaps the input: give it memory of its own");
    }
}

const Kernel& stencil_kernel_on(const Device& device) {
    return kernel_on(device, kStencilFamily, stencil_kernel);
}

ProblemWords StencilCall::words() const {
    static constexpr KernelTag kTag;
    const Stencil& stencil = request_.stencil;
    const std::uint64_t weighting = stencil.weights.empty() ? (stencil.mean ? 1 : 0) : 2;
    return {&kTag,
            static_cast<std::uint64_t>(request_.element) | weighting << 8 |
                static_cast<std::uint64_t>(stencil.boundary) << 16 |
                static_cast<std::uint64_t>(stencil.radius) << 24 |
                static_cast<std::uint64_t>(alignment_) << 32,
            0};
}

const Resolved& StencilCall::answer(Engine& engine, const DispatchKey& key, Device& device) const {
    return engine.resolve(
        key, {device, stencil_kernel_on(device), stencil_problem(request_, alignment_)});
}

namespace {

using detail::StencilRequest;

Ends ends_of(Boundary boundary) {
    switch (boundary) {
        case Boundary::valid:
            return Ends::valid;
        case Boundary::zero:
            return Ends::zero;
        case Boundary::clamp:
            return Ends::clamp;
        case Boundary::wrap:
            return Ends::wrap;
    }
    return Ends::own;  // of an invalid value, which has been refused
}

Windows windows_of(const StencilRequest& request) {
    const std::size_t bytes = bytes_of(request.element);
    return {"stencil", bytes, bytes, 1, request.stencil.radius, ends_of(request.stencil.boundary)};
}

GroupKey group_words(const StencilRequest& request, const StencilWeights& weights) {
    static constexpr KernelTag kTag;
    const Stencil& stencil = request.stencil;
    GroupKey words{
        reinterpret_cast<std::uintptr_t>(&kTag), static_cast<std::uint64_t>(request.element),
        static_cast<std::uint64_t>(stencil.radius), static_cast<std::uint64_t>(stencil.boundary),
        stencil.weights.empty() ? (stencil.mean ? 1U : 0U) : 2U};
    const std::span<const std::byte> bytes = weights.bytes();
    const std::size_t first = words.size();
    words.resize(first + (bytes.size() + sizeof words[0] - 1) / sizeof words[0]);
    std::copy(bytes.begin(), bytes.end(),
              std::as_writable_bytes(std::span(words).subspan(first)).begin());
    return words;
}

/// The stencil that a device is given: without a boundary, for inputs that staging has extended at
/// both ends as the boundary says. Its weights, if any, are zeros.
StencilRequest without_boundary(const StencilRequest& request) {
    const Stencil& stencil = request.stencil;
    StencilRequest result = stencil_request(request.element, stencil.radius, weighting_of(stencil),
                                            to_string(Boundary::valid));
    result.n = stencil_outputs(request.n, stencil) + 2 * std::int64_t{stencil.radius};
    return result;
}

class PlacedStencil final : public PlacedCall {
public:
    explicit PlacedStencil(const StencilRequest& request)
        : request_(request), chunks_(without_boundary(request)) {}

    [[nodiscard]] std::span<const std::int64_t> sizes() const override { return {&request_.n, 1}; }

    [[nodiscard]] const Resolved& resolve_whole(Engine& engine, Device& device) const override {
        return resolve_stencil(engine, device, request_, kFastAlignment);
    }
    [[nodiscard]] const Resolved& resolve_chunks(Engine& engine, Device& device) const override {
        return resolve_stencil(engine, device, chunks_, kFastAlignment);
    }
    void prepare(Engine& engine, Device& device, bool is_host) const override {
        if (is_host) {
            static_cast<void>(resolve_whole(engine, device));
        }
        // The host, too, gets chunks.
        static_cast<void>(resolve_chunks(engine, device));
    }

    [[nodiscard]] HostWork work(void* const* arrays) const override {
        return {windows_of(request_), request_.n, LaunchSizes{}, arrays};
    }

private:
    StencilRequest request_;
    StencilRequest chunks_;
};

std::unique_ptr<PlacedCall> read_stencil(PlacedValues& values,
                                         std::span<const std::int64_t> sizes) {
    const ElementType element = values.element();
    const int radius = values.integer();
    const std::string_view weighting = values.word({"sum", "mean", "weights"});
    const std::string_view boundary = values.word({"valid", "zero", "clamp", "wrap"});
    StencilRequest request = stencil_request(element, radius, weighting, boundary);
    request.n = sizes[0];
    return std::make_unique<PlacedStencil>(request);
}

constexpr std::size_t kStencilSizes[] = {2};

}  // namespace

const PlacedOperation kPlacedStencil{
    read_stencil,
    [](const Problem& problem) -> std::unique_ptr<PlacedCall> {
        return std::make_unique<PlacedStencil>(stencil_request(problem));
    },
    [](const Problem& problem) { return StencilWorkload().timed(problem); }, kStencilSizes};

void run_placed_stencil(Machine& machine, const Placement& placement, const StencilRequest& request,
                        const void* input, void* weights, void* output) {
    void* const arrays[] = {const_cast<void*>(input), weights, output};
    run_placed(machine, placement, PlacedStencil(request), arrays);
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

namespace {

bool has_outputs(const StencilRequest& request) {
    return stencil_outputs(request.n, request.stencil) > 0;
}

/// Null if there is nothing to do. Throws Error(usage) for bad data.
Engine* engine_for(const Session& session, const StencilRequest& request, const void* input,
                   const void* output) {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    if (!has_outputs(request)) {
        return nullptr;
    }
    refuse_bad_stencil_data(request, input, output);
    return &engine;
}

StencilCall call_of(const StencilRequest& request, const void* input, StencilWeights& weights,
                    void* output) {
    return {request, stencil_alignment(request, input, output), input, weights.data(), output};
}

StencilRequest without_weights(StencilRequest request) {
    request.stencil.weights = {};
    return request;
}

struct StencilHandle final : PreparedCall::State {
    StencilHandle(Engine& engine, Device& device, const StencilRequest& its)
        : State(act, engine, device, StencilCall(its, kFastAlignment), has_outputs(its)),
          request(without_weights(its)),
          weights(its) {}

    static void act(const State& state, const void* in, const std::int64_t* /*offsets*/, void* out,
                    Stream stream) {
        if (!state.launch.has_work()) [[unlikely]] {
            return;
        }
        const auto& self = static_cast<const StencilHandle&>(state);
        refuse_bad_stencil_data(self.request, in, out);
        if (stencil_alignment(self.request, in, out) != kFastAlignment) {
            throw Error(ErrorKind::usage,
                        "prepared stencil: both pointers must be aligned to 16 bytes: call "
                        "tuned_stencil for others");
        }
        void* const arguments[] = {const_cast<void*>(in), self.weights.data(), out};
        self.launch(arguments, stream);
    }

    StencilRequest request;  ///< without weights, which are the caller's
    mutable StencilWeights weights;
};

}  // namespace

void stencil_host(Session& session, const StencilRequest& request, const void* input,
                  void* output) try {
    StencilWeights weights(request);
    Engine* const engine = engine_for(session, request, input, output);
    if (engine == nullptr) {
        return;
    }
    if (StreamSite* site = host_data_site(*engine, kStencilFamily)) {
        return launch(*engine, *site, call_of(request, input, weights, output), nullptr);
    }
    run_placed_stencil(Machine::of(*engine),
                       Placement::on(engine->device(engine->options().device)), request, input,
                       weights.data(), output);
} catch (...) {
    throw_as_error();
}

void stencil_device(Session& session, const StencilRequest& request, const void* input,
                    void* output, CUstream_st* stream) try {
    StencilWeights weights(request);
    if (Engine* const engine = engine_for(session, request, input, output)) {
        launch(*engine, device_data_site(*engine, stream, [] {}),
               call_of(request, input, weights, output), stream);
    }
} catch (...) {
    throw_as_error();
}

PreparedCall prepared_stencil(Session& session, const StencilRequest& request,
                              std::string_view device) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_stencil(request);
    return PreparedCall(
        std::make_unique<StencilHandle>(engine, handle_device(engine, device), request));
} catch (...) {
    throw_as_error();
}

void refuse_bad_output(std::size_t size, std::int64_t outputs) {
    if (size != static_cast<std::size_t>(outputs)) {
        throw Error(ErrorKind::usage,
                    fmt::format("stencil: the output array has {} elements, but there are {} "
                                "outputs",
                                size, outputs));
    }
}

void stencil_shards(Session& session, const StencilRequest& request,
                    std::span<const ShardData> shards, std::span<void* const> outputs,
                    ShardOutput wanted) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StencilRequest whole = request;
    whole.n = count_of("stencil", shards, outputs.size());
    StencilWeights weights(whole);
    if (stencil_outputs(whole.n, whole.stencil) == 0) {
        return;
    }
    StencilRequest piece = whole;
    ShardCalls kernel([&](const UnitArray& array) {
        piece.n = array.units;
        piece.stencil.boundary = array.padded ? Boundary::zero : whole.stencil.boundary;
        return StencilCall(piece, stencil_alignment(piece, array.input, array.output), array.input,
                           weights.data(), array.output);
    });
    run_on_shards(engine, kernel, windows_of(whole), group_words(whole, weights), shards, outputs,
                  wanted);
} catch (...) {
    throw_as_error();
}

std::vector<std::int64_t> stencil_shard_outputs(std::span<const ShardData> shards,
                                                const Stencil& stencil) try {
    std::vector<std::int64_t> counts;
    for (const ShardData& shard : shards) {
        counts.push_back(shard.count);
    }
    const std::int64_t n = count_of("stencil", shards, shards.size());
    std::vector<std::int64_t> outputs(counts.size());
    if (stencil_outputs(n, stencil) > 0) {
        const auto plans = halo_plan(counts, stencil.radius, ends_of(stencil.boundary));
        for (std::size_t i = 0; i < plans.size(); ++i) {
            outputs[i] = plans[i].outputs;
        }
    }
    return outputs;
} catch (...) {
    throw_as_error();
}

}  // namespace detail

JITUNE_END_NAMESPACE
