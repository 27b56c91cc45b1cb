// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "backend/device.hpp"

namespace jitune::internal {

inline constexpr std::string_view kEntryPrefix = "jitune_entry_";

/// The compiler's option with which an image tells the parameters of its kernels: for each entry a
/// section parameter_section() with their number and the bytes of each, as std::uint64_t.
inline constexpr const char* kTellsParameters = "-DJITUNE_TELLS_PARAMETERS";
std::string parameter_section(std::string_view symbol);

/// The C symbol of an expression: "jitune_entry_<instance>_<step>".
std::string entry_symbol(std::size_t instance, std::size_t step);

/// The text of an instance that a name expression must not contain; empty if there is none.
/// Expressions end up in source code: only names, template arguments and types get there.
std::string expression_objection(const Instance& instance);

/// The text to compile: the template and, for each expression, a C function that calls what the
/// expression names with arguments given as cuLaunchKernel's are:
///
///     int jitune_entry_0_0(void** arguments, int count);
///
/// It answers the number of arguments that the kernel takes and calls it if `count` is that number.
std::string translation_unit(const TemplateSource& source, std::span<const Instance> instances);

}  // namespace jitune::internal
