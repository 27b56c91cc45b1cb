// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_workload.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "families/reduce/reduce_checks.hpp"
#include "families/reduce/reduce_compare.hpp"
#include "families/reduce/reduce_data.hpp"
#include "families/reduce/reduce_plants.hpp"
#include "families/reduce/reduce_reference.hpp"
#include "families/reduce/segment_offsets.hpp"

namespace jitune::internal {

namespace {

using Bytes = std::vector<std::byte>;

// A prime far from the multiples of powers of two, so that no stride of a kernel reads the same
// elements in every period. A longer period takes longer to set up for each size that is timed.
constexpr std::size_t kPeriod = 122'399;

ReduceTypes types_of(const Problem& problem) {
    return {parse_element_type(problem.types.at("element")),
            parse_reduce_op(problem.types.at("operation")),
            parse_element_type(problem.types.at("result"))};
}

std::string name_of(const ReduceLayout& layout, std::size_t offset) {
    const std::int64_t outer = layout.shape.outer;
    const std::int64_t inner = layout.shape.inner;
    switch (layout.shape.kind) {
        case ReduceKind::all:
            return fmt::format("n={} offset={}", inner, offset);
        case ReduceKind::segments:
            return fmt::format("segments={} n={} offset={}", outer, inner, offset);
        default:
            return fmt::format("rows={} columns={} offset={}", outer, inner, offset);
    }
}

/// Compares outputs with those of the reference launch of a custom operation. If terms cancel, a
/// small result has the rounding error of large ones: hence an absolute tolerance of a thousandth
/// of the largest result's.
auto agreement(const ReduceTypes& types, ReduceKind kind, double tolerance) {
    return [=](std::span<const Bytes> outputs, std::span<const Bytes> reference) {
        constexpr double kFloor = 0x1p-10;
        Expected expected{types.result, kind, reference[0], {}};
        const double largest = largest_magnitude(types.result, reference[0]);
        const double step = tolerance > 0 ? step_of(types.result) : 0;
        expected.tolerance = {tolerance * kFloor * largest, tolerance + step};
        const std::string complaint = compare(expected, outputs[0]);
        return complaint.empty() ? complaint
                                 : complaint +
                                       " (the plain kernel's result): is the operation associative "
                                       "and commutative, its identity neutral, its "
                                       "tolerance large enough for rounding?";
    };
}

/// A case over data that repeats `pattern`.
Case make_case(const ReduceTypes& types, const ReduceLayout& layout, Bytes pattern,
               std::size_t offset, double custom_tolerance) {
    const ReduceKind kind = layout.shape.kind;
    const std::size_t element_bytes = bytes_of(types.element);
    Case one;
    one.name = name_of(layout, offset);
    one.sizes = {layout.shape.inner};
    if (kind != ReduceKind::all) {
        one.sizes = {layout.shape.outer, layout.shape.inner};
    }
    one.reads_all = true;
    if (types.op == ReduceOp::custom) {
        one.agree = agreement(types, kind, custom_tolerance);
    } else {
        const auto expected =
            std::make_shared<const Expected>(reduce_reference(types, layout, pattern));
        one.judge = [expected](std::span<const Bytes> outputs) {
            return compare(*expected, outputs[0]);
        };
    }
    one.arguments = {{std::make_shared<const Bytes>(std::move(pattern)),
                      layout.elements() * element_bytes, offset * element_bytes}};
    if (kind == ReduceKind::segments) {
        Bytes offsets(layout.offsets.size() * sizeof(std::int64_t));
        std::memcpy(offsets.data(), layout.offsets.data(), offsets.size());
        const std::size_t bytes = offsets.size();
        one.arguments.push_back({std::make_shared<const Bytes>(std::move(offsets)), bytes, 0});
    }
    one.arguments.push_back(CaseArgument::output(layout.results() * bytes_of(types.result)));
    return one;
}

}  // namespace

bool ReduceWorkload::can_gain(const Problem& problem, PlatformKind platform) const {
    std::uint64_t bytes = bytes_of(parse_element_type(problem.types.at("element")));
    const bool is_matrix = kind_ == ReduceKind::rows || kind_ == ReduceKind::columns;
    for (std::size_t i = is_matrix ? 0 : problem.sizes.size() - 1; i < problem.sizes.size(); ++i) {
        bytes *= static_cast<std::uint64_t>(problem.sizes[i]);  // below 2^43
    }
    return !runs_on_cpu(platform) || bytes > kSmallBytes;
}

std::vector<Case> ReduceWorkload::checks(const Problem& problem) const {
    const ReduceTypes types = types_of(problem);
    std::mt19937_64 random(static_cast<std::uint64_t>(problem.sizes[0]));
    std::vector<Case> cases;
    const auto data = [&](const ReduceLayout& layout) {
        return reduce_data(types, layout.elements(), layout.longest(), random);
    };
    for (const ReduceCheck& check : reduce_checks(kind_, random)) {
        Bytes values = data(check.layout);
        plant_decisive(types, check.layout, cases.size(), values);
        cases.push_back(
            make_case(types, check.layout, std::move(values), check.offset, custom_tolerance_));
    }
    // If there are many results, one case has room for all kinds of special values.
    const std::size_t kinds = specials_of(types);
    for (std::size_t turn = 0; turn < (kind_ == ReduceKind::all ? kinds : kinds > 0); ++turn) {
        const ReduceCheck check = special_check(kind_, random);
        Bytes values = data(check.layout);
        plant_specials(types, check.layout, turn, values);
        cases.push_back(
            make_case(types, check.layout, std::move(values), check.offset, custom_tolerance_));
        cases.back().name += " special values";
    }
    return cases;
}

Case ReduceWorkload::timed(const Problem& problem) const {
    const ReduceTypes types = types_of(problem);
    std::mt19937_64 random(kPeriod);
    ReduceLayout layout = kind_ == ReduceKind::all
                              ? layout_of(kind_, 1, problem.sizes[0])
                              : layout_of(kind_, problem.sizes[0], problem.sizes[1]);
    if (kind_ == ReduceKind::segments) {
        // The lengths of a call's segments are not known ahead of it: the winner serves them all.
        layout.offsets =
            segment_offsets(problem.sizes[0], problem.sizes[1], Raggedness::mixed, random);
    }
    Bytes pattern =
        reduce_data(types, std::min(kPeriod, layout.elements()), layout.longest(), random);
    return make_case(types, layout, std::move(pattern), 0, custom_tolerance_);
}

}  // namespace jitune::internal
