// SPDX-License-Identifier: Apache-2.0
#include "tuning/binary_cache.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "support/hash.hpp"

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

/// One program for each set of defines and options.
std::vector<CompileOutcome> compile_by_program(const BinaryCache::Compile& compile, Device& device,
                                               const TemplateSource& source,
                                               std::span<const Instance> instances) {
    std::map<std::string, std::vector<std::size_t>> programs;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        programs[instances[i].program()].push_back(i);
    }
    std::vector<CompileOutcome> outcomes(instances.size());
    for (const auto& [program, places] : programs) {
        TemplateSource defined = source;
        const std::string& defines = instances[places.front()].defines;
        if (!defines.empty()) {
            defined.text = fmt::format("{}#line 1 \"{}\"\n{}", defines, source.name, source.text);
        }
        std::vector<Instance> together;
        for (const std::size_t place : places) {
            together.push_back(instances[place]);
            together.back().defines.clear();
        }
        std::vector<CompileOutcome> compiled = compile(device, defined, together);
        for (std::size_t i = 0; i < places.size(); ++i) {
            outcomes[places[i]] = std::move(compiled[i]);
        }
    }
    return outcomes;
}

}  // namespace

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
                                                 std::span<const Instance> instances) {
    const bool plain =
        std::all_of(instances.begin(), instances.end(),
                    [](const Instance& instance) { return instance.program().empty(); });
    std::vector<CompileOutcome> outcomes =
        plain ? compile_(device, source, instances)
              : compile_by_program(compile_, device, source, instances);
    compiles_ += static_cast<std::int64_t>(instances.size());
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const std::string key = key_of(template_hash, device.info().device_class, instances[i]);
        const auto [known, is_new] = outcomes_.try_emplace(key, outcomes[i]);
        if (!is_new && std::holds_alternative<CompileFailure>(known->second)) {
            known->second = outcomes[i];
        }
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
    CompileOutcome outcome = compile(task, instance);
    if (const auto* binary = std::get_if<Binary>(&outcome)) {
        const std::lock_guard lock(mutex_);
        alone_.emplace(key, *binary);
    }
    return outcome;
}

}  // namespace jitune::internal
