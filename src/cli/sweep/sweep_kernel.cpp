// SPDX-License-Identifier: Apache-2.0
// `jitune sweep kernel`: a kernel of one's own for many sizes.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backend/platform_kind.hpp"
#include "cli/families/kernel_problems.hpp"
#include "cli/sweep/sweep_plan.hpp"
#include "cli/sweep/sweep_run.hpp"
#include "families/own/kernel_file.hpp"
#include "jitune/error.hpp"

namespace jitune::internal::sweep_kernel_command {

namespace {

struct Arguments : SweepArguments {
    std::string file;
    std::vector<std::string> compile_options;
    KernelProblems own;
};

/// The device that was named, which must be of the template's platform; if none was named, that
/// platform.
std::string device_of(const std::string& named, const KernelTemplate& kernel) {
    const std::string platform(to_string(kernel.front_matter().platform));
    if (!named.empty() && named != platform && !named.starts_with(platform + ":")) {
        throw Error(ErrorKind::usage, fmt::format("--device {}: {} is a template for {}", named,
                                                  kernel.source().name, platform));
    }
    return named.empty() ? platform : named;
}

int run(Arguments& arguments) {
    const auto kernel =
        std::make_shared<const Kernel>(kernel_from_file(arguments.file, arguments.compile_options));
    arguments.device = device_of(arguments.device, kernel->kernel_template);
    if (!arguments.plan.empty()) {
        return plan_kernel(arguments, {carried_template(arguments.file, arguments.compile_options),
                                       arguments.own});
    }
    return sweep_plan_here(arguments, kernel_problems(kernel, arguments.own));
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"FILE", &given.file, "Kernel template: a .cu or .host.cpp file", {.required = true}},
        {"--size", &given.own.sizes,
         "A size, NAME=SIZES, as in n=1000,2^20 or m=64..4096, all between; give each"},
        {"--type", &given.own.types,
         "A type, NAME=TYPE, as in element=float32 [each of its names]"},
        {"--multiple-of",
         &given.own.multiple,
         "Sizes that apps call with are multiples of this: compare only such [1]",
         {.range = {{1, std::size_t{1} << 20}}}},
        {"--option", &given.compile_options, "An option for the compiler, as --use_fast_math"}};
    append(options, sweep_search_options(given,
                                         "host, cuda (all GPUs, one problem on each) or "
                                         "cuda:N [of the template's platform]"));
    options.push_back(sweep_plan_option(given));
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::sweep_kernel_command
