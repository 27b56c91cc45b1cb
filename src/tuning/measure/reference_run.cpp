// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/reference_run.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

std::string reference_name(const Task& task) {
    return "the reference of " + task.kernel_template().source().name;
}

/// True if a function of the caller computes the right answers while the data is made.
bool knows_answers_by_caller(const Task& task) {
    const auto& reference = task.kernel_template().front_matter().reference;
    return reference && reference->kind == ReferenceSpec::Kind::host;
}

/// What a compiler has made of the reference says nothing about the template's default.
std::shared_ptr<const Program> load(const Task& task, const std::string& name,
                                    const Binary& binary) {
    try {
        return task.device.load(binary);
    } catch (const Error& error) {
        throw Error(ErrorKind::compile, fmt::format("cannot load {}: {}", name, error.what()),
                    error.native_code());
    }
}

}  // namespace

void announce_data(const Task& task, const TuneHooks& hooks) {
    hooks.observer->prepare(knows_answers_by_caller(task) ? "running " + reference_name(task)
                                                          : "making the data of " + task.name());
}

void learn_reference(const Task& task, Rig& rig, BinaryCache& binaries, const TuneHooks& hooks) {
    if (!rig.needs_reference()) {
        return;
    }
    const std::string name = reference_name(task);
    hooks.observer->prepare("running " + name);
    const auto reference = task.reference(task.default_configuration());
    if (!reference) {
        throw Error(ErrorKind::usage,
                    name + " is missing, and the workload does not know the right answers");
    }
    const CompileOutcome outcome = binaries.compile(task, reference->instance);
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(ErrorKind::compile, fmt::format("cannot compile {}: {}", name, failure->log));
    }
    const auto program = load(task, name, std::get<Binary>(outcome));
    const DeviceLock::Turn turn = rig.turn();
    if (const auto failure = rig.learn(*program, reference->rule)) {
        throw Error(failure->fatal ? ErrorKind::device : ErrorKind::verify,
                    fmt::format("{} failed: {}", name, failure->reason), failure->native_code);
    }
}

}  // namespace jitune::internal
