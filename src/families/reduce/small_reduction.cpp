// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/small_reduction.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/host/host_program.hpp"
#include "dispatch/engine.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "families/reduce/reduce_workload.hpp"

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

}  // namespace

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

}  // namespace jitune::internal
