// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "families/reduce/custom_operation.hpp"
#include "families/reduce/reduce_data.hpp"
#include "families/reduce/reduce_reference.hpp"
#include "families/reduce/reduce_types.hpp"
#include "families/reduce/segment_offsets.hpp"
#include "jitune/error.hpp"
#include "support/settings.hpp"
#include "template/kernel.hpp"
#include "template/template_headers.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

using Bytes = std::vector<std::byte>;

// A prime far from the multiples of powers of two, so that no stride of a kernel reads the same
// elements in every period. A longer period takes longer to set up for each size that is timed.
constexpr std::size_t kPeriod = 122'399;

/// A layout that candidates must reduce correctly before they are timed.
struct Row {
    std::int64_t outer;
    std::int64_t inner;
    std::size_t offset;                        ///< elements past an aligned address
    Raggedness raggedness = Raggedness::even;  ///< of segments
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

struct ReduceChecks {
    /// Difficult layouts of a shape, below 10^6 elements in total: short and long runs, few and
    /// many, with every misalignment that a pack can have.
    std::span<const Row> rows;
    Row special;  ///< a small layout with as many runs as the shape allows, for special values
};
/// In the order of ReduceKind.
constexpr std::array kChecks{
    ReduceChecks{kFlat, {1, 4097, 1}},
    ReduceChecks{kRows, {37, 457, 1}},
    ReduceChecks{kColumns, {457, 37, 1}},
    ReduceChecks{kSegments, {37, 16'909, 1}},
};

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
    const auto add = [&](const Row& row, const auto& plant) {
        ReduceLayout layout = layout_of(kind_, row.outer, row.inner);
        if (kind_ == ReduceKind::segments) {
            layout.offsets = segment_offsets(row.outer, row.inner, row.raggedness, random);
        }
        Bytes values = reduce_data(types, layout.elements(), layout.longest(), random);
        plant(layout, values);
        cases.push_back(make_case(types, layout, std::move(values), row.offset, custom_tolerance_));
    };
    const ReduceChecks& checks = kChecks.at(static_cast<std::size_t>(kind_));
    for (const Row& row : checks.rows) {
        add(row, [&](const ReduceLayout& layout, Bytes& values) {
            plant_decisive(types, layout, cases.size(), values);
        });
    }
    // If there are many results, one case has room for all kinds of special values.
    const std::size_t kinds = specials_of(types);
    for (std::size_t turn = 0; turn < (kind_ == ReduceKind::all ? kinds : kinds > 0); ++turn) {
        add(checks.special, [&](const ReduceLayout& layout, Bytes& values) {
            plant_specials(types, layout, turn, values);
        });
        cases.back().name += " special values";
    }
    return cases;
}

Case ReduceWorkload::timed(const Problem& problem) const {
    const ReduceTypes types = types_of(problem);
    std::mt19937_64 random(kPeriod);
    ReduceLayout layout =
        layout_of(kind_, kind_ == ReduceKind::all ? 1 : problem.sizes[0], problem.sizes.back());
    if (kind_ == ReduceKind::segments) {
        // The lengths of a call's segments are not known ahead of it: the winner serves them all.
        layout.offsets =
            segment_offsets(problem.sizes[0], problem.sizes[1], Raggedness::mixed, random);
    }
    Bytes pattern =
        reduce_data(types, std::min(kPeriod, layout.elements()), layout.longest(), random);
    return make_case(types, layout, std::move(pattern), 0, custom_tolerance_);
}

namespace {

/// In the order of ReduceKind.
constexpr std::array<std::string_view, 4> kKernelNames{"reduce", "reduce_rows", "reduce_columns",
                                                       "reduce_segments"};
constexpr std::string_view kCustomHeader = "jitune_custom.h";

std::string_view kernel_name(ReduceKind kind) {
    return kKernelNames.at(static_cast<std::size_t>(kind));
}

TemplateSource source_of(ReduceKind kind, PlatformKind platform) {
    return builtin_template(fmt::format("{}{}", kernel_name(kind), template_suffix(platform)));
}

constexpr std::size_t kSpecFields = 3;

std::vector<std::string> spec_of(ReduceKind kind, PlatformKind platform) {
    return {std::string(kReduceFamily), std::string(kernel_name(kind)),
            std::string(to_string(platform))};
}

}  // namespace

const Kernel& reduce_kernel(ReduceKind kind, PlatformKind platform) {
    const auto shelf = [](ReduceKind its) {
        return BuiltinKernel([its](PlatformKind on) {
            return Kernel{KernelTemplate(source_of(its, on)), std::make_unique<ReduceWorkload>(its),
                          spec_of(its, on)};
        });
    };
    static auto& kernels = *new std::array{shelf(ReduceKind::all), shelf(ReduceKind::rows),
                                           shelf(ReduceKind::columns), shelf(ReduceKind::segments)};
    return kernels.at(static_cast<std::size_t>(kind)).on(platform);
}

Kernel custom_reduce_kernel(ReduceKind kind, PlatformKind platform,
                            const CustomOperation& operation) {
    refuse_bad_operation(operation);
    std::vector<std::string> spec = spec_of(kind, platform);
    const std::vector<std::string> fields = fields_of(operation);
    spec.insert(spec.end(), fields.begin(), fields.end());
    TemplateSource source = source_of(kind, platform);
    for (auto& [name, text] : source.headers) {
        if (name == kCustomHeader) {
            text = custom_header(operation);
        }
    }
    return {KernelTemplate(std::move(source)),
            std::make_unique<ReduceWorkload>(kind, operation.tolerance), std::move(spec), true};
}

Kernel reduce_kernel_of(std::span<const std::string> spec) {
    const auto kind = spec.size() < kSpecFields
                          ? kKernelNames.end()
                          : std::find(kKernelNames.begin(), kKernelNames.end(), spec[1]);
    const auto platform = spec.size() < kSpecFields ? std::nullopt : platform_from(spec[2]);
    if (kind == kKernelNames.end() || !platform) {
        throw Error(ErrorKind::usage,
                    "cannot build a reduction kernel: malformed worker spec; is the worker of "
                    "another version of jitune?");
    }
    const auto shape = static_cast<ReduceKind>(kind - kKernelNames.begin());
    if (spec.size() > kSpecFields) {
        return custom_reduce_kernel(shape, *platform,
                                    custom_operation_of(spec.subspan(kSpecFields)));
    }
    return {KernelTemplate(source_of(shape, *platform)), std::make_unique<ReduceWorkload>(shape),
            spec_of(shape, *platform)};
}

Problem reduce_problem(const detail::ReduceRequest& request) {
    const Reduction& reduction = request.reduction;
    const bool any = reduction.determinism == Determinism::any;
    Problem problem;
    problem.kernel = kernel_name(request.shape.kind);
    if (reduction.custom != nullptr) {
        problem.kernel += ":" + reduction.custom->name;
    }
    problem.types = {
        {"element", std::string(to_string(request.element))},
        {"accumulator",
         std::string(to_string(accumulator_of(request.element, reduction.op, request.result)))},
        {"result", std::string(to_string(request.result))},
        {"operation", std::string(to_string(reduction.op))},
        {"determinism", std::string(to_string(any ? Determinism::any : Determinism::run_to_run))}};
    problem.sizes = {request.shape.inner};
    if (request.shape.kind != ReduceKind::all) {
        problem.sizes = {request.shape.outer, request.shape.inner};
    }
    problem.alignment = static_cast<std::int64_t>(row_alignment(request));
    if (request.shape.kind == ReduceKind::rows || request.shape.kind == ReduceKind::columns) {
        const auto bytes = static_cast<std::int64_t>(bytes_of(request.element));
        problem.multiples = {1, std::max<std::int64_t>(problem.alignment / bytes, 1)};
    }
    problem.pinned = reduction.configuration;
    return problem;
}

std::optional<double> reduce_bytes(const NamedLaunch& launch) {
    const auto name = std::find(kKernelNames.begin(), kKernelNames.end(), launch.kernel);
    const auto kind = static_cast<ReduceKind>(name - kKernelNames.begin());
    const std::size_t sizes = kind == ReduceKind::all ? 1 : 2;
    if (name == kKernelNames.end() || launch.sizes.size() != sizes) {
        return std::nullopt;
    }
    const auto known = type_bytes(setting_of(launch.types, "result"));
    const double result = known ? static_cast<double>(*known) : launch.element;
    constexpr double kOffset = sizeof(std::int64_t);
    switch (kind) {
        case ReduceKind::all:
            return launch.size(0) * launch.element + result;
        case ReduceKind::rows:
            return launch.size(0) * launch.size(1) * launch.element + launch.size(0) * result;
        case ReduceKind::columns:
            return launch.size(0) * launch.size(1) * launch.element + launch.size(1) * result;
        case ReduceKind::segments:
            return launch.size(1) * launch.element + launch.size(0) * result +
                   (launch.size(0) + 1) * kOffset;
    }
    return std::nullopt;
}

}  // namespace jitune::internal
