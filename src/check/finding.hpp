// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "template/kernel_template.hpp"

namespace jitune::internal {

/// Something about a template that its author should know.
struct Finding {
    enum class Level { error, warning } level = Level::error;
    std::string place;    ///< "matmul.cu:12", or the file alone
    std::string text;     ///< what is wrong
    std::string excerpt;  ///< the line of code and a mark below it, if the compiler shows them
    /// Of a finding about configurations: those that have it, of all devices, and one of them.
    std::size_t configurations = 0;
    std::string example = {};
    std::vector<std::string> devices = {};
};

/// The errors and warnings in what NVRTC, g++ or clang++ says, each once: "k.cu(12): error: …" and
/// "k.cu:12:5: error: …". The line of code and the mark below are the excerpt.
std::vector<Finding> read_compiler_log(std::string_view log);

/// Warnings about parameters, type parameters and sizes of a template that neither its code nor its
/// launches depend on, and about macros that its code does not name. None about `made_size`, which
/// is not its author's.
std::vector<Finding> unused_names(const KernelTemplate& kernel, std::string_view made_size = {});

/// Compares the arguments that a launch of the template passes with the bytes of the kernel's
/// parameters. Returns a sentence that names the difference, or an empty text if number and sizes
/// agree. Cannot tell types of the same size apart.
std::string flaw_of_arguments(const KernelTemplate& kernel, const Problem& problem,
                              const LaunchSpec& launch, std::span<const std::int64_t> parameters);

}  // namespace jitune::internal
