// SPDX-License-Identifier: Apache-2.0
#include "cli/families/kernel_problems.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/db/record_json.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/families/sizes.hpp"
#include "families/own/kernel_file.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

using Spans = std::vector<SizeSpan>;

/// Sizes and ranges of each size, in the template's order.
std::vector<Spans> spans_of(const KernelTemplate& kernel, const std::vector<std::string>& words) {
    std::vector<Spans> spans;
    for (const auto& [name, text] : parse_kernel_size_texts(kernel, words)) {
        spans.push_back(parse_sizes(text));
    }
    return spans;
}

/// Each of `begun` with each of `choices`, which `add` adds to it.
template <class Begun, class Choices, class Add>
void combine(std::vector<Begun>& begun, const Choices& choices, const Add& add) {
    std::vector<Begun> longer;
    for (const Begun& one : begun) {
        for (const auto& choice : choices) {
            add(longer.emplace_back(one), choice);
        }
    }
    begun = std::move(longer);
}

/// Each combination of one of each size's spans.
std::vector<Spans> combinations_of(const std::vector<Spans>& spans) {
    std::vector<Spans> all{{}};
    for (const Spans& one : spans) {
        combine(all, one, [](Spans& begun, const SizeSpan& span) { begun.push_back(span); });
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
        combine(all, names,
                [&, of = type](auto& begun, const auto& name) { begun[of] = name.first; });
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

/// Returns the first metric that needs no energy, because sweeps measure none; nullptr if there is
/// no such metric.
const MetricSpec* first_metric(const FrontMatter& front) {
    const auto found = std::find_if(
        front.metrics.begin(), front.metrics.end(),
        [](const MetricSpec& metric) { return !metric.value.names().contains("joules"); });
    return found == front.metrics.end() ? nullptr : &*found;
}

}  // namespace

SweepPlan kernel_problems(const std::shared_ptr<const Kernel>& kernel,
                          const KernelProblems& problems) {
    const KernelTemplate& own = kernel->kernel_template;
    SweepPlan plan{own.front_matter().kernel, {}, {{"types"}, {"sizes"}}, {}};
    plan.code = own.hash();
    const MetricSpec* const metric = first_metric(own.front_matter());
    plan.metric = metric == nullptr ? "" : metric->name;
    plan.rate = metric == nullptr ? "" : metric_title(metric->name, metric->unit);
    const std::vector<Spans> combinations = combinations_of(spans_of(own, problems.sizes));
    for (const auto& types : types_of(own, parse_kernel_types(problems.types))) {
        for (const Spans& spans : combinations) {
            plan.problems.push_back(problem_of(kernel, types, spans, problems.multiple));
        }
    }
    return plan;
}

}  // namespace jitune::internal
