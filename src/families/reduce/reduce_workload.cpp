// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_workload.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <span>

#include <fmt/format.h>

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

/// A layout that candidates must reduce correctly before they are timed.
struct ReduceCheck {
    ReduceLayout layout;
    std::size_t offset;  ///< elements past an aligned address
};

struct Row {
    std::int64_t outer;
    std::int64_t inner;
    std::size_t offset;
    Raggedness raggedness = Raggedness::even;  // of segments
};

// No size but 1 is a multiple of a pack, a warp or a tile. For every pack of up to 16 elements, at
// least one of the cases whose first or last element decides has a non-empty head and tail.
constexpr Row kFlat[] = {
    {1, 1, 1},       {1, 31, 0},      {1, 1027, 2},    {1, 4099, 3},
    {1, 70'001, 13}, {1, 262'147, 5}, {1, 600'011, 6},
};
// One row to a thread, a warp, a block, several blocks; in two all rows are aligned.
constexpr Row kRows[] = {
    {1, 1, 1},      {1027, 1, 0},    {3, 5, 1},      {31, 33, 2},    {129, 64, 0},
    {70'001, 3, 1}, {257, 1025, 13}, {5, 16'384, 0}, {3, 70'001, 6},
};
// One column and many, few rows and many; in two all rows are aligned.
constexpr Row kColumns[] = {
    {1, 1, 1},      {1, 1027, 0},    {5, 3, 1},     {33, 31, 2},    {65, 128, 0},
    {3, 70'001, 1}, {1025, 257, 13}, {1027, 64, 0}, {70'001, 3, 6},
};
constexpr Row kSegments[] = {
    {1, 1, 1},
    {1, 70'001, 13},
    {5, 3, 0},
    {1027, 4099, 2},
    {33, 300'007, 1},
    {4099, 40'009, 3},
    {301, 200'003, 6, Raggedness::one_huge},
    {70'001, 1031, 5, Raggedness::mostly_empty},
    {17, 65'537, 1, Raggedness::last_only},
};

std::span<const Row> rows_of(ReduceKind kind) {
    switch (kind) {
        case ReduceKind::rows:
            return kRows;
        case ReduceKind::columns:
            return kColumns;
        case ReduceKind::segments:
            return kSegments;
        default:
            return kFlat;
    }
}

ReduceCheck made(ReduceKind kind, const Row& row, std::mt19937_64& random) {
    ReduceCheck check{layout_of(kind, row.outer, row.inner), row.offset};
    if (kind == ReduceKind::segments) {
        check.layout.offsets = segment_offsets(row.outer, row.inner, row.raggedness, random);
    }
    return check;
}

/// Difficult layouts of a shape, below 10^6 elements in total: short and long runs, few and many,
/// with every misalignment that a pack can have.
std::vector<ReduceCheck> reduce_checks(ReduceKind kind, std::mt19937_64& random) {
    std::vector<ReduceCheck> checks;
    for (const Row& row : rows_of(kind)) {
        checks.push_back(made(kind, row, random));
    }
    return checks;
}

/// A small layout with as many runs as the shape allows, for special values.
ReduceCheck special_check(ReduceKind kind, std::mt19937_64& random) {
    switch (kind) {
        case ReduceKind::rows:
            return made(kind, {37, 457, 1}, random);
        case ReduceKind::columns:
            return made(kind, {457, 37, 1}, random);
        case ReduceKind::segments:
            return made(kind, {37, 16'909, 1}, random);
        default:
            return made(kind, {1, 4097, 1}, random);
    }
}

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
