// SPDX-License-Identifier: Apache-2.0
#include "families/stencil/stencil_problem.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "dispatch/answer/call_check.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

struct BoundaryRow {
    Boundary value;
    std::string_view name;
};
constexpr std::array kBoundaries{
    BoundaryRow{Boundary::valid, "valid"},
    BoundaryRow{Boundary::zero, "zero"},
    BoundaryRow{Boundary::clamp, "clamp"},
    BoundaryRow{Boundary::wrap, "wrap"},
};
static_assert(is_complete(kBoundaries, Boundary::wrap));
constexpr std::string_view kWhatBoundary = "a boundary";

constexpr std::array<double, 2 * Stencil::kMaxRadius + 1> kZeros{};

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::usage, "stencil: " + what);
}

void refuse_bad_weight(ElementType element, double weight) {
    const bool fits = element == ElementType::int32
                          ? weight == std::trunc(weight) && weight >= -0x1p31 && weight < 0x1p31
                          : std::isfinite(weight) && (element == ElementType::float64 ||
                                                      std::isfinite(static_cast<float>(weight)));
    if (!fits) {
        refuse(fmt::format("weight {} must be {} {}", weight,
                           element == ElementType::int32 ? "a value of" : "a finite",
                           to_string(element)));
    }
}

}  // namespace

std::string_view weighting_of(const Stencil& stencil) {
    return !stencil.weights.empty() ? "weights" : stencil.mean ? "mean" : "sum";
}

void refuse_bad_stencil(const detail::StencilRequest& request) {
    const Stencil& stencil = request.stencil;
    if (stencil.radius < 1 || stencil.radius > Stencil::kMaxRadius) {
        refuse(fmt::format("radius {}: must be from 1 to {}", stencil.radius, Stencil::kMaxRadius));
    }
    const auto count = 2 * static_cast<std::size_t>(stencil.radius) + 1;
    if (!stencil.weights.empty() && stencil.weights.size() != count) {
        refuse(fmt::format("{} weights: radius {} takes {}, or none for a plain sum",
                           stencil.weights.size(), stencil.radius, count));
    }
    if (stencil.mean && !stencil.weights.empty()) {
        refuse("mean and weights: give one of the two");
    }
    to_string(stencil.boundary);  // throws for a value outside the enum
    if (request.element != ElementType::int32 && request.element != ElementType::float32 &&
        request.element != ElementType::float64) {
        refuse(fmt::format("of {}: use int32, float32 or float64", to_string(request.element)));
    }
    for (const double weight : stencil.weights) {
        refuse_bad_weight(request.element, weight);
    }
    if (request.n < 0 || request.n > kMostElements) {
        refuse(fmt::format("n = {}: must be from 0 to 2^40", request.n));
    }
}

Problem stencil_problem(const detail::StencilRequest& request, std::size_t alignment) {
    refuse_bad_stencil(request);
    Problem problem;
    problem.kernel = "stencil";
    problem.types = {{"element", std::string(to_string(request.element))},
                     {"radius", std::to_string(request.stencil.radius)},
                     {"weighting", std::string(weighting_of(request.stencil))},
                     {"boundary", std::string(to_string(request.stencil.boundary))}};
    problem.sizes = {request.n};
    problem.alignment = static_cast<std::int64_t>(alignment);
    return problem;
}

detail::StencilRequest stencil_request(ElementType element, int radius, std::string_view weighting,
                                       std::string_view boundary) {
    detail::StencilRequest request{element, {}, 1};
    request.stencil.radius = radius;
    request.stencil.mean = weighting == "mean";
    request.stencil.boundary = parse_boundary(boundary);
    refuse_bad_stencil(request);
    if (weighting == "weights") {
        request.stencil.weights = std::span(kZeros).first(2 * static_cast<std::size_t>(radius) + 1);
    }
    if (weighting != weighting_of(request.stencil)) {
        refuse(fmt::format("unknown weighting \"{}\": use sum, mean or weights", weighting));
    }
    return request;
}

detail::StencilRequest stencil_request(const Problem& problem) {
    detail::StencilRequest request = stencil_request(
        parse_element_type(problem.types.at("element")), number_type(problem, "radius"),
        problem.types.at("weighting"), problem.types.at("boundary"));
    request.n = problem.sizes.at(0);
    return request;
}

StencilWeights::StencilWeights(const detail::StencilRequest& request) {
    refuse_bad_stencil(request);
    bytes_ = bytes_of(request.element);
    std::byte* to = values_.data();
    visit_stencil_element(request.element, [&]<class T>(T) {
        for (const double weight : request.stencil.weights) {
            const T value = static_cast<T>(weight);
            std::memcpy(to, &value, sizeof value);
            to += sizeof value;
        }
        bytes_ *= std::max<std::size_t>(request.stencil.weights.size(), 1);
    });
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

std::string_view to_string(Boundary boundary) {
    return row_of(kBoundaries, boundary, kWhatBoundary).name;
}

Boundary parse_boundary(std::string_view name) {
    return parse_name(kBoundaries, name, kWhatBoundary);
}

JITUNE_END_NAMESPACE
