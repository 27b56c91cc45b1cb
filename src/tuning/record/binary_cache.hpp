// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "backend/device.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// The binaries that this process has compiled, so that configurations that differ only in their
/// launch (and problems that differ only in their sizes) are compiled once. Thread-safe; no lock is
/// held while compiling, so two threads may compile the same instance: the first Binary is kept.
class BinaryCache {
public:
    /// Compiles as Device::compile() of the device does. May throw CompileStopped once a stop is
    /// requested.
    using Compile = std::function<std::vector<CompileOutcome>(
        Device&, const TemplateSource&, std::span<const Instance>, CompileCall&)>;

    explicit BinaryCache(Compile compile = compile_here) : compile_(std::move(compile)) {}

    /// The same cache, whose compiles `stop` stops, too: they throw CompileStopped.
    [[nodiscard]] BinaryCache until(std::stop_token stop) const {
        BinaryCache same = *this;
        same.stop_ = std::move(stop);
        return same;
    }

    /// Device::compile(), which also counts the processor time of the calling thread.
    static std::vector<CompileOutcome> compile_here(Device& device, const TemplateSource& source,
                                                    std::span<const Instance> instances,
                                                    CompileCall& call);

    /// The outcome for `instance` of the template with this hash on this device class, if known.
    std::optional<CompileOutcome> find(const std::string& template_hash,
                                       const std::string& device_class, const Instance& instance);
    std::optional<CompileOutcome> find(const Task& task, const Instance& instance) {
        return find(task.kernel_template().hash(), task.info().device_class, instance);
    }

    /// Remembers the code of an instance, which this process has not compiled.
    void remember(const Task& task, const Instance& instance, const Binary& binary);

    /// Compiles for `device` and remembers. One outcome per instance. Throws as Device::compile
    /// does, and CompileStopped after a stop of the `call`, if the compiler could be stopped.
    std::vector<CompileOutcome> compile(Device& device, const TemplateSource& source,
                                        const std::string& template_hash,
                                        std::span<const Instance> instances, CompileCall& call);
    std::vector<CompileOutcome> compile(const Task& task, std::span<const Instance> instances,
                                        CompileCall& call) {
        const KernelTemplate& kernel = task.kernel_template();
        return compile(task.device, kernel.source(), kernel.hash(), instances, call);
    }
    std::vector<CompileOutcome> compile(Device& device, const TemplateSource& source,
                                        const std::string& template_hash,
                                        std::span<const Instance> instances) {
        CompileCall call;
        return compile(device, source, template_hash, instances, call);
    }
    CompileOutcome compile(const Task& task, const Instance& instance) {
        CompileCall call;
        return compile(task, std::span(&instance, 1), call).front();
    }

    /// The code of one instance in a program of its own, which is compiled at the first call for
    /// it. A failure is not remembered: its reason may pass.
    CompileOutcome alone(const Task& task, const Instance& instance);

    /// Instances given to a compiler so far.
    [[nodiscard]] std::int64_t compiles() const { return known_->compiles; }

private:
    struct Known {
        std::mutex mutex;
        std::map<std::string, CompileOutcome> outcomes;
        std::map<std::string, Binary> alone;
        std::atomic<std::int64_t> compiles{0};
    };

    Compile compile_;
    std::shared_ptr<Known> known_ = std::make_shared<Known>();
    std::stop_token stop_;
};

}  // namespace jitune::internal
