// SPDX-License-Identifier: Apache-2.0
#include "cli/stencil_words.hpp"

#include <charconv>

#include <fmt/format.h>

#include "cli/sizes.hpp"
#include "families/stencil/stencil_call.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

template <class Number>
Number parse_number(std::string_view text, std::string_view what) {
    Number number{};
    const char* const end = text.data() + text.size();
    if (const auto [stop, error] = std::from_chars(text.data(), end, number);
        error != std::errc() || stop != end) {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" is not {}", text, what));
    }
    return number;
}

void refuse_other_weighting(const std::string& word) {
    if (word != "sum" && word != "mean" && word != "weights") {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is not a weighting: use sum, mean or weights", word));
    }
}

SweepProblem problem_of(const detail::StencilRequest& request, const std::string& weighting) {
    const Stencil& stencil = request.stencil;
    const std::string type(to_string(request.element));
    const std::string boundary(to_string(stencil.boundary));
    const std::string radius = std::to_string(stencil.radius);
    const auto moved = static_cast<double>(request.n + stencil_outputs(request.n, stencil));
    constexpr std::size_t kAligned = 16;
    return {stencil_problem(request, kAligned),
            stencil_kernel_on,
            fmt::format("{} radius {} {} {} {}", type, radius, weighting, boundary,
                        size_text(request.n)),
            {type, radius, weighting, boundary, size_text(request.n)},
            {{"type", type},
             {"radius", stencil.radius},
             {"weighting", weighting},
             {"boundary", boundary},
             {"n", request.n}},
            moved * static_cast<double>(bytes_of(request.element))};
}

}  // namespace

int parse_radius(std::string_view text) {
    const int radius = parse_number<int>(text, "a radius");
    if (radius < 1 || radius > Stencil::kMaxRadius) {
        throw Error(ErrorKind::usage,
                    fmt::format("radius {}: must be from 1 to {}", radius, Stencil::kMaxRadius));
    }
    return radius;
}

std::vector<double> parse_weights(std::string_view text) {
    std::vector<double> weights;
    for (const std::string& word : parse_list("--weights", text)) {
        weights.push_back(parse_number<double>(word, "a weight"));
    }
    return weights;
}

SweepPlan stencil_plan(const StencilWords& words) {
    SweepPlan plan{
        "stencil",
        {},
        {{"type"}, {"radius", Align::right}, {"weighting"}, {"boundary"}, {"size", Align::right}},
        {}};
    const std::vector<double> ones(2 * Stencil::kMaxRadius + 1, 1.0);
    const auto sizes = parse_sizes(words.sizes);
    const auto weightings = parse_list("--weighting", words.weightings);
    const auto boundaries = parse_list("--boundary", words.boundaries);
    const std::string types = words.types == "all" ? "int32,float32,float64" : words.types;
    for (const std::string& type : parse_list("--types", types)) {
        for (const std::string& radius : parse_list("--radius", words.radii)) {
            for (const std::string& weighting : weightings) {
                refuse_other_weighting(weighting);
                Stencil stencil{.radius = parse_radius(radius), .mean = weighting == "mean"};
                if (weighting == "weights") {
                    stencil.weights =
                        std::span(ones).first(2 * static_cast<std::size_t>(stencil.radius) + 1);
                }
                for (const std::string& boundary : boundaries) {
                    stencil.boundary = parse_boundary(boundary);
                    for (const std::int64_t n : sizes) {
                        if (stencil_outputs(n, stencil) > 0) {
                            plan.problems.push_back(
                                problem_of({parse_element_type(type), stencil, n}, weighting));
                        }
                    }
                }
            }
        }
    }
    if (plan.problems.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("--sizes: {} inputs have no output of radius {} with boundary {}",
                                words.sizes, words.radii, words.boundaries));
    }
    return plan;
}

}  // namespace jitune::internal
