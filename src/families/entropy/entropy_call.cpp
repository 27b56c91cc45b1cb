// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/entropy_call.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "dispatch/answer/call_check.hpp"
#include "dispatch/session_access.hpp"
#include "spread/machine.hpp"
#include "spread/prepared_call.hpp"
#include "spread/shard_call.hpp"

namespace jitune::internal {

void refuse_bad_entropy_data(const detail::EntropyRequest& request, const void* input,
                             const float* output) {
    const std::size_t element = bytes_of(request.element);
    refuse_bad_pointer(kEntropyFamily, "the input", input, element);
    refuse_bad_pointer(kEntropyFamily, "the output", output, sizeof *output);
    const auto count = static_cast<std::size_t>(request.rows * request.columns);
    if (overlap(input, count * element, output, count * sizeof *output)) {
        throw Error(ErrorKind::usage,
                    "entropy: the output overlaps the input: give it memory of its own");
    }
}

const Kernel& entropy_kernel_on(const Device& device) {
    return kernel_on(device, kEntropyFamily, entropy_kernel);
}

std::array<void*, 3> entropy_arguments(const detail::EntropyRequest& request, const void* input,
                                       float* output) {
    const auto scale = std::bit_cast<std::uint64_t>(scale_of(request.entropy));
    return {const_cast<void*>(input), argument_of(scale), output};
}

ProblemWords EntropyCall::words() const {
    static constexpr KernelTag kTag;
    return {&kTag,
            static_cast<std::uint64_t>(request_.element) |
                static_cast<std::uint64_t>(request_.entropy.window) << 8 |
                static_cast<std::uint64_t>(request_.entropy.levels) << 16 |
                static_cast<std::uint64_t>(row_alignment(request_)) << 32,
            0};
}

const Resolved& EntropyCall::answer(Engine& engine, const DispatchKey& key, Device& device) const {
    return engine.resolve(key, {device, entropy_kernel_on(device), entropy_problem(request_)});
}

namespace {

using detail::EntropyRequest;

Windows windows_of(const EntropyRequest& request) {
    return {"entropy",       bytes_of(request.element),  sizeof(float),
            request.columns, request.entropy.window / 2, Ends::own};
}

GroupKey group_words(const EntropyRequest& request) {
    static constexpr KernelTag kTag;
    return {reinterpret_cast<std::uintptr_t>(&kTag),
            static_cast<std::uint64_t>(request.element),
            static_cast<std::uint64_t>(request.entropy.window),
            static_cast<std::uint64_t>(request.entropy.levels),
            std::bit_cast<std::uint64_t>(scale_of(request.entropy)),
            static_cast<std::uint64_t>(request.columns)};
}

/// A single row as the column that has the same windows: a column can be divided into parts.
EntropyRequest divisible(EntropyRequest request) {
    if (request.rows == 1) {
        std::swap(request.rows, request.columns);
    }
    return request;
}

// Written with conditional expressions only, so that compilers vectorize the loops.

std::uint8_t level_of(std::uint8_t element, int highest) {
    return std::min(element, static_cast<std::uint8_t>(highest));
}

std::uint8_t level_of(std::int32_t element, int highest) {
    element = element < 0 ? 0 : element;
    return static_cast<std::uint8_t>(element < highest ? element : highest);
}

std::uint8_t level_of(float element, int highest) {
    constexpr float kIntegersFrom = 8388608;  // 2^23: floats have no fraction from here on
    const auto most = static_cast<float>(highest);
    element = element > 0 ? element : 0;
    element = element < most ? element : most;
    return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(element + kIntegersFrom));
}

template <class T>
void convert(const void* elements, std::size_t count, int levels, std::uint8_t* to) {
    const auto* const from = static_cast<const T*>(elements);
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = level_of(from[i], levels - 1);
    }
}

class PlacedEntropy final : public PlacedCall {
public:
    /// With `as_bytes` chunks have levels of one byte.
    PlacedEntropy(const EntropyRequest& request, bool as_bytes)
        : request_(request), sizes_(sizes_of(request)), chunks_(divisible(request)) {
        chunks_.element = as_bytes ? ElementType::uint8 : request.element;
    }

    [[nodiscard]] std::span<const std::int64_t> sizes() const override { return sizes_; }

    [[nodiscard]] const Resolved& resolve_whole(Engine& engine, Device& device) const override {
        return resolve_entropy(engine, device, request_);
    }
    [[nodiscard]] const Resolved& resolve_chunks(Engine& engine, Device& device) const override {
        return resolve_entropy(engine, device, chunks_);
    }
    /// The kernels of both forms of chunks; the host never has levels of one byte.
    void prepare(Engine& engine, Device& device, bool is_host) const override {
        if (is_host) {
            static_cast<void>(resolve_whole(engine, device));
        }
        static_cast<void>(PlacedEntropy(request_, false).resolve_chunks(engine, device));
        if (!is_host) {
            static_cast<void>(PlacedEntropy(request_, true).resolve_chunks(engine, device));
        }
    }

    [[nodiscard]] HostWork work(void* const* arrays) const override {
        const EntropyRequest whole = divisible(request_);
        const std::size_t rows = whole.columns == 1 ? 1 : 0;  // as sizes_of() has them
        HostWork work(windows_of(whole), whole.rows, {sizes_of(whole), 2, rows}, arrays);
        if (chunks_.element != whole.element) {
            work.convert_inputs(1, [element = whole.element, levels = whole.entropy.levels](
                                       const std::byte* from, std::size_t count, std::byte* to) {
                write_level_bytes(from, element, count, levels,
                                  reinterpret_cast<std::uint8_t*>(to));
            });
        }
        return work;
    }

private:
    EntropyRequest request_;
    std::array<std::int64_t, 2> sizes_;
    EntropyRequest chunks_;
};

std::unique_ptr<PlacedCall> read_entropy(PlacedValues& values,
                                         std::span<const std::int64_t> sizes) {
    EntropyRequest request{values.element(), sizes[0], sizes[1], {}};
    request.entropy.window = values.integer();
    request.entropy.levels = values.integer();
    refuse_bad_entropy(request);
    const bool as_bytes = values.word({"elements", "bytes"}) == "bytes";
    return std::make_unique<PlacedEntropy>(request, as_bytes);
}

constexpr std::size_t kEntropySizes[] = {1, 2};

}  // namespace

void write_level_bytes(const void* elements, ElementType type, std::size_t count, int levels,
                       std::uint8_t* to) {
    if (type == ElementType::float32) {
        convert<float>(elements, count, levels, to);
    } else if (type == ElementType::int32) {
        convert<std::int32_t>(elements, count, levels, to);
    } else {
        convert<std::uint8_t>(elements, count, levels, to);
    }
}

const PlacedOperation kPlacedEntropy{
    read_entropy,
    [](const Problem& problem) -> std::unique_ptr<PlacedCall> {
        return std::make_unique<PlacedEntropy>(entropy_request(problem), false);
    },
    [](const Problem& problem) { return EntropyWorkload().timed(problem); }, kEntropySizes};

void run_placed_entropy(Machine& machine, const Placement& placement, bool as_bytes,
                        const EntropyRequest& request, const void* input, float* output) {
    run_placed(machine, placement, PlacedEntropy(request, as_bytes),
               entropy_arguments(request, input, output).data());
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

namespace {

bool has_elements(const EntropyRequest& request) {
    return request.rows > 0 && request.columns > 0;
}

/// Null if there is nothing to do. Throws Error(usage) for a bad request and bad data.
Engine* engine_for(const Session& session, const EntropyRequest& request, const void* input,
                   const float* output) {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_entropy(request);
    if (!has_elements(request)) {
        return nullptr;
    }
    refuse_bad_entropy_data(request, input, output);
    return &engine;
}

struct EntropyHandle final : PreparedCall::State {
    EntropyHandle(Engine& engine, Device& device, const EntropyRequest& its)
        : State(act, engine, device, EntropyCall(its), has_elements(its)), request(its) {}

    static void act(const State& self, const void* in, const std::int64_t* /*offsets*/, void* out,
                    Stream stream) {
        if (!self.launch.has_work()) [[unlikely]] {
            return;
        }
        const EntropyRequest& request = static_cast<const EntropyHandle&>(self).request;
        auto* const output = static_cast<float*>(out);
        refuse_bad_entropy_data(request, in, output);
        self.launch(entropy_arguments(request, in, output).data(), stream);
    }

    EntropyRequest request;
};

}  // namespace

void entropy_host(Session& session, const EntropyRequest& request, const void* input,
                  float* output) try {
    Engine* const engine = engine_for(session, request, input, output);
    if (engine == nullptr) {
        return;
    }
    if (StreamSite* site = host_data_site(*engine, kEntropyFamily)) {
        return launch(*engine, *site, EntropyCall(request, input, output), nullptr);
    }
    run_placed_entropy(Machine::of(*engine),
                       Placement::on(engine->device(engine->options().device)), false, request,
                       input, output);
} catch (...) {
    throw_as_error();
}

void entropy_device(Session& session, const EntropyRequest& request, const void* input,
                    float* output, CUstream_st* stream) try {
    if (Engine* const engine = engine_for(session, request, input, output)) {
        launch(*engine, device_data_site(*engine, stream, [] {}),
               EntropyCall(request, input, output), stream);
    }
} catch (...) {
    throw_as_error();
}

PreparedCall prepared_entropy(Session& session, const EntropyRequest& request,
                              std::string_view device) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_entropy(request);
    return PreparedCall(
        std::make_unique<EntropyHandle>(engine, handle_device(engine, device), request));
} catch (...) {
    throw_as_error();
}

void refuse_bad_array(const char* what, std::size_t size, std::int64_t rows, std::int64_t columns) {
    std::int64_t wanted = 0;
    if (rows < 0 || columns < 0 || __builtin_mul_overflow(rows, columns, &wanted) ||
        static_cast<std::size_t>(wanted) != size) {
        throw Error(ErrorKind::usage,
                    fmt::format("entropy: the {} has {} elements, but the array is {} x {}", what,
                                size, rows, columns));
    }
}

void entropy_shards(Session& session, const EntropyRequest& request,
                    std::span<const ShardData> shards, std::span<float* const> outputs,
                    ShardOutput wanted) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    EntropyRequest whole = request;
    whole.rows = count_of("entropy", shards, outputs.size());
    refuse_bad_entropy(whole);
    if (whole.rows == 0 || whole.columns == 0) {
        return;
    }
    EntropyRequest piece = whole;
    ShardCalls kernel([&](const UnitArray& array) {
        piece.rows = array.units;
        return EntropyCall(piece, array.input, static_cast<float*>(array.output));
    });
    const std::vector<void*> pointers(outputs.begin(), outputs.end());
    run_on_shards(engine, kernel, windows_of(whole), group_words(whole), shards, pointers, wanted);
} catch (...) {
    throw_as_error();
}

}  // namespace detail

JITUNE_END_NAMESPACE
