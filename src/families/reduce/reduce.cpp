// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "backend/host/host_program.hpp"
#include "dispatch/session_access.hpp"
#include "families/reduce/reduce_call.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "jitune/reduce.hpp"
#include "jitune/reduce_shapes.hpp"
#include "spread/machine.hpp"
#include "spread/prepared_call.hpp"

namespace jitune::internal {

namespace {

using detail::ReduceData;
using detail::ReduceRequest;
using Entry = HostProgram::Entry;

constexpr std::size_t kTypes = static_cast<std::size_t>(ElementType::float64) + 1;
constexpr std::size_t kOperations = static_cast<std::size_t>(ReduceOp::custom);

/// Stands for a kernel that is missing. Does nothing.
int no_kernel(void** /*arguments*/, int /*count*/) {
    return 0;
}

/// The kernels by element, result and operation; null until the first call. All engines of the
/// process share them.
std::array<std::atomic<Entry>, kTypes * kTypes * kOperations> entries{};

bool is_small(const ReduceRequest& request) {
    const auto n = static_cast<std::uint64_t>(request.shape.inner);
    return request.shape.kind == ReduceKind::all && n - 1 < kSmallBytes &&
           n * bytes_of(request.element) <= kSmallBytes &&
           static_cast<std::size_t>(request.element) < kTypes &&
           static_cast<std::size_t>(request.result) < kTypes &&
           static_cast<std::size_t>(request.reduction.op) < kOperations &&
           (request.reduction.determinism == Determinism::run_to_run ||
            request.reduction.determinism == Determinism::any) &&
           request.reduction.configuration.empty() && request.reduction.custom == nullptr;
}

std::atomic<Entry>& place_of(const ReduceRequest& request) {
    const auto element = static_cast<std::size_t>(request.element);
    const auto result = static_cast<std::size_t>(request.result);
    return entries[(element * kTypes + result) * kOperations +
                   static_cast<std::size_t>(request.reduction.op)];
}

/// The default's entry point, or no_kernel. Its program is never unloaded.
Entry find_entry(Engine& engine, const ReduceRequest& request) {
    static std::mutex mutex;
    static auto& programs = *new std::vector<std::shared_ptr<const Program>>;
    Device& device = engine.host().device(0);
    const Kernel& kernel = reduce_kernel(ReduceKind::all, PlatformKind::host);
    const Family* const family = family_of(engine.families(), kernel.spec);
    if (family == nullptr || family->compiled == nullptr) {
        return no_kernel;
    }
    const KernelTemplate& text = kernel.kernel_template;
    const Problem problem = reduce_problem(request);
    const auto binary = family->compiled(
        device.info(), text.instance(problem, text.default_configuration(problem, device.info())));
    if (!binary) {
        return no_kernel;
    }
    try {
        const std::lock_guard lock(mutex);
        programs.push_back(device.load(*binary));
        const auto* const program = dynamic_cast<const HostProgram*>(programs.back().get());
        return program == nullptr ? no_kernel : program->entry(0);
    } catch (const Error& error) {  // such as of a machine without OpenMP's runtime
        engine.log().info("{}; small reductions are answered as others are", error.what());
        return no_kernel;
    }
}

/// Reduces a whole array of at most kSmallBytes in host memory by a kernel that comes compiled with
/// the library, without a look into tables or the thread's memory of calls. Does nothing and
/// returns false for other requests, for bad data, for an engine that works elsewhere, and if no
/// such kernel runs on this CPU.
bool reduce_small(Engine& engine, const ReduceRequest& request, const ReduceData& data) {
    if (!is_small(request) || !engine.keeps_host_data() || !is_good_data(request, data)) {
        return false;
    }
    std::atomic<Entry>& place = place_of(request);
    Entry entry = place.load(std::memory_order_acquire);
    if (entry == nullptr) [[unlikely]] {
        entry = find_entry(engine, request);
        place.store(entry, std::memory_order_release);
    }
    // The arguments of kernel_templates/reduce.host.cpp. For so few elements, one thread works,
    // whatever number is given.
    const void* values = data.values;
    auto n = static_cast<std::uint64_t>(request.shape.inner);
    int threads = 1;
    int chunks_per_thread = 1;
    void* result = data.results;
    std::array<void*, 5> arguments{static_cast<void*>(&values), &n, &threads, &chunks_per_thread,
                                   static_cast<void*>(&result)};
    const auto count = static_cast<int>(arguments.size());
    return entry(arguments.data(), count) == count;
}

/// Launches again what this thread has launched before. Returns false for a new call and for bad
/// data.
inline bool launch_known(const StreamSite& site, const ReduceRequest& request,
                         const ReduceData& data, Stream stream) {
    return is_good_data(request, data) &&
           internal::launch_known(site, ReduceCall(request, data), stream);
}

/// Reduces host memory if nothing but the launch is left to do; else sets the site, or null.
inline bool reduce_known(Engine& engine, const ReduceRequest& request, const ReduceData& data,
                         StreamSite*& site) {
    if (reduce_small(engine, request, data)) {
        return true;
    }
    site = host_data_site(engine, kReduceFamily);
    return site != nullptr && launch_known(*site, request, data, nullptr);
}

/// For a shape that has elements, and good data.
void launch_new(Engine& engine, StreamSite& site, const ReduceRequest& request,
                const ReduceData& data, Stream stream) {
    const ReduceCall call(request, data);
    internal::launch_new(site, call, resolve(engine, site, call), stream);
}

/// Writes the result of no elements to `results` in host memory.
void fill_with_nothing(const ReduceRequest& request, void* results) {
    if (result_count(request.shape) == 0) {
        return;
    }
    const auto value = nothing_of(request);
    const std::size_t bytes = bytes_of(request.result);
    refuse_bad_pointer("reduce", "the result", results, bytes);
    for (std::size_t i = 0; i < result_count(request.shape); ++i) {
        std::memcpy(static_cast<std::byte*>(results) + i * bytes, value.data(), bytes);
    }
}

/// Reduces host memory on a GPU: copies it there and the results back, on a stream of its own.
void reduce_copied(Engine& engine, Device& device, const ReduceRequest& request,
                   const ReduceData& data) {
    constexpr std::chrono::hours kLimit{1};
    const Resolved& resolved = resolve_reduce(engine, device, request);
    const detail::ReduceShape& shape = request.shape;
    const auto bench = device.make_bench();
    const auto copied = [&](const void* from, std::int64_t count, std::size_t element_bytes) {
        const std::size_t bytes = static_cast<std::size_t>(count) * element_bytes;
        auto memory = bench->allocate(bytes);
        bench->upload(memory->data(), {static_cast<const std::byte*>(from), bytes});
        return memory;
    };
    const bool segments = shape.kind == ReduceKind::segments;
    const auto values = copied(data.values, segments ? shape.inner : shape.inner * shape.outer,
                               bytes_of(request.element));
    const auto offsets =
        segments ? copied(data.offsets, shape.outer + 1, sizeof *data.offsets) : nullptr;
    const std::size_t bytes = result_count(shape) * bytes_of(request.result);
    const auto results = bench->allocate(bytes);

    const LaunchRule::Plan plan = resolved.rule.plan(ReduceSizes(shape).span());
    const auto plain = bench->allocate(std::max<std::size_t>(plan.scratch.plain, 1));
    const auto zeroed = bench->allocate(std::max<std::size_t>(plan.scratch.zeroed, 1));
    bench->fill(zeroed->data(), std::byte{0}, zeroed->bytes());
    const ReduceArrays arrays(
        {values->data(),
         offsets == nullptr ? nullptr : static_cast<const std::int64_t*>(offsets->data()),
         results->data()});
    const Launch bound = resolved.rule.bind(plan, arrays.span(), {plain->data(), zeroed->data()});
    if (const auto failure = bench->run(*resolved.program, bound, kLimit)) {
        throw Error(ErrorKind::device, "reduce host memory on a GPU: " + failure->reason,
                    failure->native_code);
    }
    bench->download({static_cast<std::byte*>(data.results), bytes}, results->data());
}

}  // namespace

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

namespace {

struct ReduceHandle final : PreparedCall::State {
    ReduceHandle(Engine& engine, Device& device, const ReduceRequest& its)
        : State(act, engine, device, ReduceCall(its), !is_empty(its.shape)),
          request(its),
          checks_offsets(its.shape.kind == ReduceKind::segments &&
                         runs_on_cpu(device.info().platform)) {
        request.reduction = Reduction(its.reduction.op);
    }

    static void act(const State& state, const void* in, const std::int64_t* offsets, void* out,
                    Stream stream) {
        const auto& self = static_cast<const ReduceHandle&>(state);
        if (!self.launch.has_work()) [[unlikely]] {
            return write_nothing(self.launch.device(), self.request, out, stream);
        }
        const ReduceData data{in, offsets, out};
        refuse_bad_data(self.request, data);
        if (self.checks_offsets) {
            const ReduceShape& shape = self.request.shape;
            refuse_bad_offsets({offsets, static_cast<std::size_t>(shape.outer) + 1}, shape.inner);
        }
        self.launch(ReduceArrays(data).data(), stream);
    }

    ReduceRequest request;  ///< without texts, which are the caller's
    bool checks_offsets;
};

}  // namespace

void reduce_host(Session& session, const ReduceRequest& request, const ReduceData& data) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StreamSite* site = nullptr;
    if (reduce_known(engine, request, data, site)) {
        return;
    }
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        return fill_with_nothing(request, data.results);
    }
    refuse_bad_data(request, data);
    if (site != nullptr) {
        return launch_new(engine, *site, request, data, nullptr);
    }
    reduce_copied(engine, engine.device(engine.options().device), request, data);
} catch (...) {
    throw_as_error();
}

void reduce_device(Session& session, const ReduceRequest& request, const void* values, void* result,
                   CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        return fill_with_nothing(request, result);
    }
    refuse_bad_data(request, {values, nullptr, result});
    StreamSite& site = device_data_site(engine, stream, [] {});
    site.refuse_capture("tuned_reduce that returns a value");
    const std::size_t bytes = bytes_of(request.result);
    const auto memory = site.device().allocate(bytes);
    const ReduceData there{values, nullptr, memory->data()};
    if (!launch_known(site, request, there, stream)) {
        launch_new(engine, site, request, there, stream);
    }
    site.device().read_back({static_cast<std::byte*>(result), bytes}, memory->data(), stream);
} catch (...) {
    throw_as_error();
}

void reduce_device_async(Session& session, const ReduceRequest& request, const ReduceData& data,
                         CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StreamSite& site = device_data_site(engine, stream, [&] {
        refuse_bad_request(request);
        if (!is_empty(request.shape)) {
            refuse_bad_data(request, data);
        }
    });
    if (launch_known(site, request, data, stream)) [[likely]] {
        return;
    }
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        return write_nothing(site.device(), request, data.results, stream);
    }
    refuse_bad_data(request, data);
    launch_new(engine, site, request, data, stream);
} catch (...) {
    throw_as_error();
}

bool reduce_host_known(Session& session, const ReduceRequest& request, const ReduceData& data) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StreamSite* site = nullptr;
    return reduce_known(engine, request, data, site);
} catch (...) {
    throw_as_error();
}

bool reduce_device_known(Session& session, const ReduceRequest& request, const ReduceData& data,
                         CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    return launch_known(engine.cuda().site(stream), request, data, stream);
} catch (...) {
    throw_as_error();
}

PreparedCall prepared_reduction(Session& session, const ReduceRequest& request,
                                std::string_view device_id) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_request(request);
    // "auto" is as Options::device: reductions have no place but the host.
    Device& device = device_id == "auto" ? engine.host().device(0)
                     : device_id.empty() ? engine.cuda().site(nullptr).device()
                                         : engine.device(device_id);
    return PreparedCall(std::make_unique<ReduceHandle>(engine, device, request));
} catch (...) {
    throw_as_error();
}

void refuse_bad_request(const ReduceRequest& request) {
    refuse_bad_shape(request.shape);
    if (is_empty(request.shape)) {
        nothing_of(request);  // throws for an operation without such a result
    }
}

void refuse_bad_matrix(std::int64_t size, std::int64_t rows, std::int64_t columns) {
    refuse_bad_shape(ReduceShape::rows(rows, columns));
    if (rows * columns != size) {
        throw Error(ErrorKind::usage,
                    fmt::format("reduce: got {} values for a {} x {} matrix", size, rows, columns));
    }
}

void refuse_bad_offsets(std::span<const std::int64_t> offsets, std::int64_t size) {
    if (offsets.empty()) {
        throw Error(ErrorKind::usage,
                    "reduce segments: no offsets: give one more than there are segments");
    }
    std::int64_t last = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] < last || offsets[i] > size) {
            throw Error(ErrorKind::usage,
                        fmt::format("reduce segments: offset {} is {}: offsets must not decrease "
                                    "and must lie in [0, {}]",
                                    i, offsets[i], size));
        }
        last = offsets[i];
    }
}

}  // namespace detail

JITUNE_END_NAMESPACE
