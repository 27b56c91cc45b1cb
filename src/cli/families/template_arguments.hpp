// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/app/command.hpp"
#include "families/own/kernel_file.hpp"

namespace jitune::internal {

/// The arguments that name a kernel of one's own: a template, or a problem in T1, of which one is
/// made.
struct TemplateArguments {
    std::string file;
    std::string input;
    std::vector<std::string> sizes;  ///< "n=2^24"
    std::vector<std::string> types;  ///< "element=float32"
    std::vector<std::string> compile_options;

    /// Their options. `left_out` says what a size and a type are that are left out.
    Option file_option();
    Option input_option();
    Option size_option(const char* left_out);
    Option type_option(const char* left_out);
    Option compile_option();

    /// Takes a FILE that holds JSON, plain or gzip, for a problem in T1. Throws Error(usage) where
    /// it is one and sizes, types or a `capture` were given, too.
    void look_into_file(const std::string& capture = {});

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

/// The problem where nothing is run: its sizes are usual_kernel_sizes(), or those of T1.
Problem usual_problem(const TemplateArguments& arguments, const KernelTemplate& kernel,
                      const std::map<std::string, std::string>& types);

}  // namespace jitune::internal
