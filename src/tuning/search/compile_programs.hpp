// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// The text that the compiler gets for an instance: the defines before the template's own lines.
TemplateSource defined_source(const TemplateSource& source, const Instance& instance);

/// Compiles the instances. Those of the same Instance::program() are compiled in one call, with
/// their defines before the template's text. `compile` compiles instances without defines. One
/// outcome per instance.
std::vector<CompileOutcome> compile_programs(
    const std::function<std::vector<CompileOutcome>(const TemplateSource&,
                                                    std::span<const Instance>)>& compile,
    const TemplateSource& source, std::span<const Instance> instances);

}  // namespace jitune::internal
