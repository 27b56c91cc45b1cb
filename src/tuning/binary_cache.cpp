// SPDX-License-Identifier: Apache-2.0
#include "tuning/binary_cache.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "support/hash.hpp"
#include "support/loop_clock.hpp"
#include "tuning/compile_programs.hpp"

namespace jitune::internal {

namespace {

std::string key_of(const std::string& template_hash, const std::string& device_class,
                   const Instance& instance) {
    Hasher hasher("binary");
    hasher.text(template_hash).text(device_class).text(instance.program());
    for (const std::string& expression : instance.expressions) {
        hasher.text(expression);
    }
    return hex(hasher.digest());
}

}  // namespace

std::vector<CompileOutcome> BinaryCache::compile_here(Device& device, const TemplateSource& source,
                                                      std::span<const Instance> instances,
                                                      CompileCall& call) {
    const std::chrono::nanoseconds begin = thread_processor_time();
    std::vector<CompileOutcome> outcomes = device.compile(source, instances);
    call.processor_time += thread_processor_time() - begin;
    return outcomes;
}

std::optional<CompileOutcome> BinaryCache::find(const std::string& template_hash,
                                                const std::string& device_class,
                                                const Instance& instance) {
    const std::string key = key_of(template_hash, device_class, instance);
    const std::lock_guard lock(mutex_);
    const auto found = outcomes_.find(key);
    return found == outcomes_.end() ? std::nullopt : std::optional(found->second);
}

void BinaryCache::remember(const Task& task, const Instance& instance, const Binary& binary) {
    const std::string key =
        key_of(task.kernel_template().hash(), task.info().device_class, instance);
    const std::lock_guard lock(mutex_);
    outcomes_.insert_or_assign(key, binary);
}

std::vector<CompileOutcome> BinaryCache::compile(Device& device, const TemplateSource& source,
                                                 const std::string& template_hash,
                                                 std::span<const Instance> instances,
                                                 CompileCall& call) {
    std::vector<CompileOutcome> outcomes = compile_programs(
        [&](const TemplateSource& text, std::span<const Instance> wanted) {
            return compile_(device, text, wanted, call);
        },
        source, instances);
    compiles_ += static_cast<std::int64_t>(instances.size());
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const std::string key = key_of(template_hash, device.info().device_class, instances[i]);
        const auto [known, is_new] = outcomes_.try_emplace(key, outcomes[i]);
        if (!is_new && std::holds_alternative<CompileFailure>(known->second)) {
            known->second = outcomes[i];
        }
    }
    if (instances.size() == 1 && std::holds_alternative<Binary>(outcomes.front())) {
        alone_.emplace(key_of(template_hash, device.info().device_class, instances.front()),
                       std::get<Binary>(outcomes.front()));
    }
    return outcomes;
}

CompileOutcome BinaryCache::alone(const Task& task, const Instance& instance) {
    const std::string key =
        key_of(task.kernel_template().hash(), task.info().device_class, instance);
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = alone_.find(key); found != alone_.end()) {
            return found->second;
        }
    }
    return compile(task, instance);  // which remembers it
}

}  // namespace jitune::internal
