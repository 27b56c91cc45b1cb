// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/kernel_inspector.hpp"
#include "check/check_jobs.hpp"
#include "check/finding.hpp"
#include "check/space_report.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// One configuration that was compiled for one device.
struct CheckedConfiguration {
    std::string configuration;
    bool is_compiled = false;
    std::int64_t threads = 0;        ///< of a block
    std::int64_t dynamic_bytes = 0;  ///< shared memory of a block beside resources->shared_bytes
    /// Of the launch that has the lowest occupancy.
    std::optional<KernelResources> resources = {};
    std::optional<Occupancy> occupancy = {};
};

struct DeviceCheck {
    DeviceInfo device;
    SpaceReport space;
    std::string standard = {};   ///< the default configuration; empty without a space
    int rule_line = 0;           ///< of the table [[default]] that gives it; 0: none
    std::string rule_when = {};  ///< its condition; empty: always
    std::vector<CheckedConfiguration> configurations = {};
};

struct TemplateCheck {
    std::vector<DeviceCheck> devices;
    std::vector<Finding> findings;
};

/// Compiles a sample of at most `most` configurations of the problem for each device (0: all), and
/// the template's reference kernel, and works out their launches. What is wrong is a finding.
/// Throws Error: usage for a problem that does not fit the template; unavailable without compiler.
TemplateCheck check_template(const KernelTemplate& kernel, const Problem& problem,
                             std::span<const CheckDevice> devices, std::size_t most);

/// Adds a finding, or a further configuration and device to one that says the same.
void add_finding(std::vector<Finding>& findings, Finding finding);

}  // namespace jitune::internal
