// SPDX-License-Identifier: Apache-2.0
#include "cli/families/template_arguments.hpp"

#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/app/output.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/formats/t1.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

void refuse_other_than_one(const TemplateArguments& arguments) {
    if (arguments.file.empty() == arguments.input.empty()) {
        throw Error(ErrorKind::usage,
                    "name either a kernel template, or a T1 problem with --input");
    }
}

/// No kernel template begins as JSON and gzip do. False for a file that cannot be read.
bool holds_json(const std::string& file) {
    constexpr std::string_view kGzip = "\x1f\x8b";
    std::ifstream stream(file, std::ios::binary);
    char first[2]{};
    stream.read(first, kGzip.size());
    if (std::string_view(first, sizeof(first)) == kGzip) {
        return true;
    }
    stream.clear();
    stream.seekg(0);
    char character = 0;
    return stream >> character && character == '{';
}

T1Template read_noted_t1(const std::string& input) {
    T1Template problem = read_t1(input);
    for (const std::string& note : problem.notes) {
        print_error(fmt::format("jitune: {}: {}\n", input, note));
    }
    return problem;
}

}  // namespace

void TemplateArguments::look_into_file(const std::string& capture) {
    if (file.empty() || !input.empty() || !holds_json(file)) {
        return;
    }
    for (const auto& [option, is_given] :
         {std::pair("--size", !sizes.empty()), std::pair("--type", !types.empty()),
          std::pair("--from-capture", !capture.empty())}) {
        if (is_given) {
            throw Error(
                ErrorKind::usage,
                fmt::format("{} does not go with {}: a problem in T1 has fixed sizes, types "
                            "and data; leave the option out",
                            option, file));
        }
    }
    input = std::exchange(file, {});
}

Option TemplateArguments::file_option() {
    return {"FILE", &file, "Kernel template: a .cu or .host.cpp file; or a problem in T1 JSON"};
}

Option TemplateArguments::input_option() {
    return {"--input",
            &input,
            "A problem in the community's T1 JSON format, in place of FILE",
            {.excludes = {"--size", "--type"}}};
}

Option TemplateArguments::size_option(const char* left_out) {
    return {"--size", &sizes,
            fmt::format("A size of the problem, NAME=SIZE, as in n=2^24{}", left_out)};
}

Option TemplateArguments::type_option(const char* left_out) {
    return {"--type", &types,
            fmt::format("A type of the problem, NAME=TYPE, as in element=float32{}", left_out)};
}

Option TemplateArguments::compile_option() {
    return {"--option", &compile_options, "An option for the compiler, as --use_fast_math"};
}

Kernel kernel_of(const TemplateArguments& arguments, const std::string& capture) {
    refuse_other_than_one(arguments);
    if (!arguments.is_t1()) {
        return kernel_from_file(arguments.file, arguments.compile_options, capture);
    }
    const T1Template problem = read_noted_t1(arguments.input);
    return kernel_from_text(problem.name, problem.text, problem.folder, arguments.compile_options);
}

TemplateFile template_of(const TemplateArguments& arguments) {
    refuse_other_than_one(arguments);
    if (!arguments.is_t1()) {
        return template_from_file(arguments.file, arguments.compile_options);
    }
    const T1Template problem = read_noted_t1(arguments.input);
    return template_from_text(problem.name, problem.text, problem.folder,
                              arguments.compile_options);
}

Problem usual_problem(const TemplateArguments& arguments, const KernelTemplate& kernel,
                      const std::map<std::string, std::string>& types) {
    return kernel_problem(
        kernel, arguments.is_t1() ? kT1Sizes : usual_kernel_sizes(kernel, arguments.sizes), types);
}

}  // namespace jitune::internal
