// SPDX-License-Identifier: Apache-2.0
#include "tuning/record/binary_cache.hpp"

#include <array>
#include <utility>

#include "support/hash.hpp"
#include "support/loop_clock.hpp"
#include "support/process_end.hpp"
#include "tuning/search/compile_programs.hpp"

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

/// Makes a call stop at its own request, at that of `other`, or as the process ends.
class StopOfAny {
public:
    StopOfAny(CompileCall& call, const std::stop_token& other)
        : call_(call),
          own_(std::exchange(call.stop, any_.get_token())),
          other_(other),
          stops_{Callback(own_, stop_any()), Callback(other, stop_any()),
                 Callback(process_end::Work::stop(), stop_any())} {}
    ~StopOfAny() { call_.stop = own_; }
    StopOfAny(const StopOfAny&) = delete;
    StopOfAny& operator=(const StopOfAny&) = delete;

    /// Throws Error(unavailable) if the compile was stopped only because the process ends.
    void refuse_end() const {
        if (!own_.stop_requested() && !other_.stop_requested()) {
            process_end::refuse();
        }
    }

private:
    using Callback = std::stop_callback<std::function<void()>>;
    std::function<void()> stop_any() {
        return [this] { any_.request_stop(); };
    }

    CompileCall& call_;
    std::stop_source any_;
    const std::stop_token own_, other_;
    const std::array<Callback, 3> stops_;
};

}  // namespace

std::vector<CompileOutcome> BinaryCache::compile_here(Device& device, const TemplateSource& source,
                                                      std::span<const Instance> instances,
                                                      CompileCall& call) {
    const std::chrono::nanoseconds begin = thread_processor_time();
    std::vector<CompileOutcome> outcomes = device.compile(source, instances, call);
    call.processor_time += thread_processor_time() - begin;
    return outcomes;
}

std::optional<CompileOutcome> BinaryCache::find(const std::string& template_hash,
                                                const std::string& device_class,
                                                const Instance& instance) {
    const std::string key = key_of(template_hash, device_class, instance);
    const std::lock_guard lock(known_->mutex);
    const auto found = known_->outcomes.find(key);
    return found == known_->outcomes.end() ? std::nullopt : std::optional(found->second);
}

void BinaryCache::remember(const Task& task, const Instance& instance, const Binary& binary) {
    const std::string key =
        key_of(task.kernel_template().hash(), task.info().device_class, instance);
    const std::lock_guard lock(known_->mutex);
    known_->outcomes.insert_or_assign(key, binary);
}

std::vector<CompileOutcome> BinaryCache::compile(Device& device, const TemplateSource& source,
                                                 const std::string& template_hash,
                                                 std::span<const Instance> instances,
                                                 CompileCall& call) {
    std::vector<CompileOutcome> outcomes = compile_programs(
        [&](const TemplateSource& text, std::span<const Instance> wanted) {
            const process_end::Work work;
            const StopOfAny stop(call, stop_);
            try {
                return compile_(device, text, wanted, call);
            } catch (const CompileStopped&) {
                stop.refuse_end();
                throw;
            }
        },
        source, instances);
    known_->compiles += static_cast<std::int64_t>(instances.size());
    const std::lock_guard lock(known_->mutex);
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const std::string key = key_of(template_hash, device.info().device_class, instances[i]);
        const auto [known, is_new] = known_->outcomes.try_emplace(key, outcomes[i]);
        if (!is_new && std::holds_alternative<CompileFailure>(known->second)) {
            known->second = outcomes[i];
        }
    }
    if (instances.size() == 1 && std::holds_alternative<Binary>(outcomes.front())) {
        known_->alone.emplace(key_of(template_hash, device.info().device_class, instances.front()),
                              std::get<Binary>(outcomes.front()));
    }
    return outcomes;
}

CompileOutcome BinaryCache::alone(const Task& task, const Instance& instance) {
    const std::string key =
        key_of(task.kernel_template().hash(), task.info().device_class, instance);
    {
        const std::lock_guard lock(known_->mutex);
        if (const auto found = known_->alone.find(key); found != known_->alone.end()) {
            return found->second;
        }
    }
    return compile(task, instance);  // which remembers it
}

}  // namespace jitune::internal
