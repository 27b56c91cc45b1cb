// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "backend/device.hpp"
#include "rules/loss_table.hpp"
#include "rules/rule_condition.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// The times of configurations at one problem of a template.
struct MeasuredProblem {
    Problem problem;
    std::string device_class;
    std::map<std::string, double> times_ns;  ///< by Configuration::text(); at least one
};

/// The losses of all measured configurations at the problems, which fit the template; estimated
/// where they are near. Configurations that the template does not have are left out. `devices` has
/// each device class. Makes the space of problems whose constraints forbid the parameters'
/// defaults.
LossTable losses_of(const KernelTemplate& kernel, std::span<const MeasuredProblem> problems,
                    const std::map<std::string, DeviceInfo>& devices);

/// What conditions over the problems' sizes and types can ask: each size, the product of all, the
/// bytes, and types and derived names that depend on types alone.
RuleQuestions questions_of(const KernelTemplate& kernel, std::span<const MeasuredProblem> problems);

}  // namespace jitune::internal
