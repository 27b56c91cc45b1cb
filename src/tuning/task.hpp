// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/device.hpp"
#include "template/kernel.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// One problem for one kernel on one device. Tunings tune a task, and a call needs the answer of a
/// task. The device and the kernel must outlive it. Copies are cheap beside a tuning or a database
/// query.
struct Task {
    Device& device;
    const Kernel& kernel;
    Problem problem;

    [[nodiscard]] const DeviceInfo& info() const { return device.info(); }
    [[nodiscard]] const KernelTemplate& kernel_template() const { return kernel.kernel_template; }

    // The answers of the kernel's template for this problem on this device. Each of these throws as
    // the function of KernelTemplate with the same name does.

    void check() const { kernel_template().check(problem); }
    /// As Workload::can_gain().
    [[nodiscard]] bool can_gain() const {
        return kernel.workload->can_gain(problem, info().platform);
    }
    [[nodiscard]] RecordKey key() const { return kernel_template().key(problem, info()); }
    [[nodiscard]] SearchSpace space() const { return kernel_template().space(problem, info()); }
    [[nodiscard]] bool accepts(const Configuration& configuration) const {
        return kernel_template().accepts(configuration, problem, info());
    }
    /// The configuration where a search of `space`, which is this task's, begins.
    [[nodiscard]] Configuration default_configuration(const SearchSpace& space) const {
        return kernel_template().default_of(problem, info(), &space).configuration;
    }
    [[nodiscard]] Configuration default_configuration() const {
        return kernel_template().default_configuration(problem, info());
    }
    [[nodiscard]] KernelTemplate::Default default_of() const {
        return kernel_template().default_of(problem, info());
    }
    [[nodiscard]] std::string reproducibility(const Configuration& configuration) const {
        return kernel_template().reproducibility(configuration, problem, info());
    }
    [[nodiscard]] Instance instance(const Configuration& configuration) const {
        return kernel_template().instance(problem, configuration);
    }
    [[nodiscard]] Instance launched_instance(const Configuration& configuration) const {
        return kernel_template().launched_instance(problem, info(), configuration);
    }
    [[nodiscard]] LaunchRule launch_rule(const Configuration& configuration) const {
        return kernel_template().launch_rule(problem, info(), configuration);
    }
    [[nodiscard]] std::optional<KernelTemplate::Reference> reference(
        const Configuration& configuration) const {
        return kernel_template().reference(problem, info(), configuration);
    }
    [[nodiscard]] std::vector<KernelTemplate::Metric> metrics(
        const Configuration& configuration, double seconds,
        std::optional<double> joules = std::nullopt) const {
        return kernel_template().metrics(problem, info(), configuration, seconds, joules);
    }

    /// The configuration of a text such as "block=256 items=4". Throws Error(usage) for any other
    /// text.
    [[nodiscard]] Configuration parse(const std::string& configuration) const {
        return Configuration::parse(configuration, kernel_template().front_matter().parameters);
    }
    /// True if two runs of a configuration on the same data give the same bits.
    [[nodiscard]] bool is_repeatable(const Configuration& configuration) const {
        return reproducibility(configuration) != "any";
    }

    /// True if another exchangeable configuration may take its place between two calls with the
    /// same data, because both give the same bits, or because the problem does not ask for the same
    /// bits.
    [[nodiscard]] bool is_exchangeable(const Configuration& configuration) const {
        const auto asked = problem.types.find("determinism");
        return (asked != problem.types.end() && asked->second == "any") ||
               reproducibility(configuration) == "exact";
    }

    /// "n=1048576"
    [[nodiscard]] std::string sizes() const {
        return sizes_text(problem, kernel_template().front_matter().sizes);
    }
    /// For messages: "reduce element=float32 operation=sum accumulator=float32 n=1000 on cuda:0".
    [[nodiscard]] std::string name() const {
        const std::string types = readable_types(types_text(problem));
        return problem.kernel + " " + (types.empty() ? "" : types + " ") + sizes() + " on " +
               info().id;
    }
};

}  // namespace jitune::internal
