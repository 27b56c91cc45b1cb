// SPDX-License-Identifier: Apache-2.0
// `jitune sweep kernel`: a kernel of one's own for many sizes.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_kind.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/sizes.hpp"
#include "cli/sweep_run.hpp"
#include "families/own/kernel_file.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal::sweep_kernel_command {

namespace {

struct Arguments : SweepArguments {
    std::string file;
    std::vector<std::string> sizes;
    std::vector<std::string> types;
    std::vector<std::string> compile_options;
    std::size_t multiple = 1;
};

using Spans = std::vector<SizeSpan>;

/// Sizes and ranges of each size, in the template's order.
std::vector<Spans> spans_of(const KernelTemplate& kernel, const std::vector<std::string>& words) {
    std::vector<Spans> spans;
    for (const auto& [name, text] : parse_kernel_size_texts(kernel, words)) {
        spans.push_back(parse_sizes(text));
    }
    return spans;
}

/// Each combination of one of each size's spans.
std::vector<Spans> combinations_of(const std::vector<Spans>& spans) {
    std::vector<Spans> all{{}};
    for (const Spans& one : spans) {
        std::vector<Spans> longer;
        for (const Spans& begun : all) {
            for (const SizeSpan& span : one) {
                longer.push_back(begun);
                longer.back().push_back(span);
            }
        }
        all = std::move(longer);
    }
    return all;
}

std::string span_text_of(const std::string& name, const SizeSpan& span) {
    return fmt::format("{}={}", name, span_text(size_text(span.first), size_text(span.last)));
}

std::string spans_text(const std::vector<std::string>& names, const Spans& spans) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        texts.push_back(span_text_of(names[i], spans[i]));
    }
    return fmt::format("{}", fmt::join(texts, " "));
}

/// Throws Error(usage) for a span of sizes that holds no multiple.
void refuse_without_multiple(const std::vector<std::string>& names, const Spans& spans,
                             std::int64_t multiple) {
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].last / multiple * multiple < spans[i].first) {
            throw Error(ErrorKind::usage,
                        fmt::format("--multiple-of {}: {} holds no multiple of {}; name sizes that "
                                    "do, or leave the option out",
                                    multiple, span_text_of(names[i], spans[i]), multiple));
        }
    }
}

/// Every combination of names of the types that were not given.
std::vector<std::map<std::string, std::string>> types_of(
    const KernelTemplate& kernel, const std::map<std::string, std::string>& given) {
    std::vector<std::map<std::string, std::string>> all{given};
    for (const auto& [type, names] : kernel.front_matter().types) {
        if (given.contains(type)) {
            continue;
        }
        std::vector<std::map<std::string, std::string>> longer;
        for (const auto& begun : all) {
            for (const auto& [name, text] : names) {
                longer.push_back(begun);
                longer.back()[type] = name;
            }
        }
        all = std::move(longer);
    }
    return all;
}

PlannedProblem problem_of(const std::shared_ptr<const Kernel>& kernel,
                          const std::map<std::string, std::string>& types, const Spans& spans,
                          std::size_t multiple) {
    const std::vector<std::string>& names = kernel->kernel_template.front_matter().sizes;
    Sizes from, to;
    Json first = Json::object(), last = Json::object(), named = Json::object();
    for (std::size_t i = 0; i < spans.size(); ++i) {
        from.push_back(spans[i].first);
        to.push_back(spans[i].last);
        first[names[i]] = spans[i].first;
        last[names[i]] = spans[i].last;
    }
    for (const auto& [type, name] : types) {
        named[type] = name;
    }
    Problem problem = kernel_problem(kernel->kernel_template, from, types);
    if (multiple > 1) {
        refuse_without_multiple(names, spans, static_cast<std::int64_t>(multiple));
        problem.multiples.assign(from.size(), static_cast<std::int64_t>(multiple));
    }
    const std::string words = short_types(types_text(problem));
    const std::string sizes = spans_text(names, spans);
    PlannedProblem planned{
        {std::move(problem), [kernel](const Device&) -> const Kernel& { return *kernel; },
         fmt::format("{}{}{}", words, words.empty() ? "" : " ", sizes)},
        {words, sizes},
        {{"types", named}, {"sizes", first}}};
    if (from != to) {
        planned.problem.domain = SizeBox{from, to};
        planned.json["last"] = last;
    }
    return planned;
}

SweepPlan plan_of(const Arguments& arguments, const std::shared_ptr<const Kernel>& kernel) {
    const KernelTemplate& own = kernel->kernel_template;
    SweepPlan plan{own.front_matter().kernel, {}, {{"types"}, {"sizes"}}, {}};
    const std::vector<Spans> combinations = combinations_of(spans_of(own, arguments.sizes));
    for (const auto& types : types_of(own, parse_kernel_types(arguments.types))) {
        for (const Spans& spans : combinations) {
            plan.problems.push_back(problem_of(kernel, types, spans, arguments.multiple));
        }
    }
    return plan;
}

/// Of the template's platform, which is also the device where none was named.
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
    return sweep_plan_here(arguments, plan_of(arguments, kernel));
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"FILE", &given.file, "Kernel template: a .cu or .host.cpp file", {.required = true}},
        {"--size", &given.sizes,
         "A size, NAME=SIZES, as in n=1000,2^20 or m=64..4096, all between; give each"},
        {"--type", &given.types, "A type, NAME=TYPE, as in element=float32 [each of its names]"},
        {"--multiple-of",
         &given.multiple,
         "Sizes that apps call with are multiples of this: compare only such [1]",
         {.range = {{1, std::size_t{1} << 20}}}},
        {"--option", &given.compile_options, "An option for the compiler, as --use_fast_math"}};
    append(options, sweep_search_options(given,
                                         "host, cuda (all GPUs, one problem on each) or "
                                         "cuda:N [of the template's platform]"));
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::sweep_kernel_command
