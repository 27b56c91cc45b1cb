// SPDX-License-Identifier: Apache-2.0
#include "worker/compiler_pool.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "backend/host/available_memory.hpp"
#include "jitune/error.hpp"
#include "support/loop_clock.hpp"

namespace jitune::internal {

namespace {

std::vector<CompileOutcome> compile_here(const CompileFor& here, const CompileRequest& request,
                                         CompileCall& call) {
    const std::chrono::nanoseconds begin = thread_processor_time();
    auto outcomes = here(request.device, request.source, request.instances);
    call.processor_time += thread_processor_time() - begin;
    call.in_own_process = false;
    return outcomes;
}

}  // namespace

std::vector<CompileOutcome> CompilerPool::compile(Device& device, const TemplateSource& source,
                                                  std::span<const Instance> instances,
                                                  CompileCall& call) {
    const CompileFor here = [&device](const DeviceInfo&, const auto& text, const auto& wanted) {
        return device.compile(text, wanted);
    };
    return compile(here, device.info(), source, instances, call);
}

std::vector<CompileOutcome> CompilerPool::compile(const CompileFor& here, const DeviceInfo& device,
                                                  const TemplateSource& source,
                                                  std::span<const Instance> instances,
                                                  CompileCall& call) {
    CompileRequest request{device, source, {instances.begin(), instances.end()}};
    auto together = try_to_compile(here, request, call);
    if (auto* const outcomes = std::get_if<std::vector<CompileOutcome>>(&together)) {
        return std::move(*outcomes);
    }
    log_.info("a compiler process has ended ({}); what it compiled is compiled one by one",
              std::get<Loss>(together).reason);
    std::vector<CompileOutcome> outcomes;
    for (const Instance& instance : instances) {
        request.instances = {instance};
        auto alone = try_to_compile(here, request, call);
        if (auto* const outcome = std::get_if<std::vector<CompileOutcome>>(&alone)) {
            outcomes.push_back(std::move(outcome->front()));
        } else {
            outcomes.emplace_back(CompileFailure{"the compiler took its process down: " +
                                                 std::get<Loss>(alone).reason});
        }
    }
    return outcomes;
}

std::variant<std::vector<CompileOutcome>, CompilerPool::Loss> CompilerPool::try_to_compile(
    const CompileFor& here, const CompileRequest& request, CompileCall& call) {
    std::unique_ptr<CompilerProcess> process = take();
    if (process == nullptr) {
        return compile_here(here, request, call);
    }
    if (std::optional<std::vector<CompileOutcome>> outcomes = process->compile(request, call)) {
        if (!call.stop.stop_requested()) {  // else it may be killed
            const std::lock_guard lock(mutex_);
            idle_.push_back(std::move(process));
        }
        return std::move(*outcomes);
    }
    if (call.stop.stop_requested()) {
        throw CompileStopped();
    }
    if (process->was_ready()) {
        return Loss{process->why_lost()};
    }
    stay_in_this_process("it was not ready: " + process->why_lost());
    return compile_here(here, request, call);
}

std::unique_ptr<CompilerProcess> CompilerPool::take() {
    // A process has some 40 MB of its own, and more while it compiles a large kernel.
    constexpr std::size_t kMemoryToStart = std::size_t{1} << 30;
    {
        const std::lock_guard lock(mutex_);
        while (!idle_.empty()) {
            std::unique_ptr<CompilerProcess> process = std::move(idle_.back());
            idle_.pop_back();
            if (process->lives()) {
                return process;
            }
        }
    }
    if (!can_start_ || available_memory() < kMemoryToStart) {
        return nullptr;
    }
    try {
        return std::make_unique<CompilerProcess>(program_);
    } catch (const Error& error) {
        stay_in_this_process(error.what());
        return nullptr;
    }
}

void CompilerPool::stay_in_this_process(const std::string& reason) {
    if (can_start_.exchange(false)) {
        log_.info("no further compiler process is started ({}); threads compile", reason);
    }
}

}  // namespace jitune::internal
