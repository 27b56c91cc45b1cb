// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/app/command.hpp"
#include "families/own/kernel_file.hpp"

namespace jitune::internal {

/// The arguments that name a kernel of one's own: a template, or a problem in T1, of which one is
/// made.
struct TemplateArguments {
    std::string file;
    std::string input;
    std::vector<std::string> compile_options;

    /// Their options. A problem in T1 cannot be given with those in `excludes`.
    Option file_option();
    Option input_option(std::vector<std::string> excludes = {});
    Option compile_option();

    /// Takes a FILE that holds JSON, plain or gzip, for a problem in T1. Throws Error(usage) if it
    /// is one, and an option of `others` that does not go with it was given: {"--size", true}.
    void look_into_file(const std::vector<std::pair<const char*, bool>>& others);

    /// Once looked into.
    [[nodiscard]] bool is_t1() const { return !input.empty(); }
    /// The file that was named.
    [[nodiscard]] const std::string& path() const { return is_t1() ? input : file; }
};

/// The kernel that is named. Prints the notes of a problem in T1. Throws Error(usage) unless one of
/// the two is named, and as kernel_from_file() and read_t1() do.
Kernel kernel_of(const TemplateArguments& arguments, const std::string& capture);

/// As above, its template alone, which may lack a [reference].
TemplateFile template_of(const TemplateArguments& arguments);

/// The sizes of a problem in T1: one of 1, as read_t1() makes it.
std::vector<std::int64_t> t1_sizes();

}  // namespace jitune::internal
