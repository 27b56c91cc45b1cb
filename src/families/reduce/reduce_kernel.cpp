// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_kernel.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "families/reduce/custom_operation.hpp"
#include "families/reduce/reduce_types.hpp"
#include "families/reduce/reduce_workload.hpp"
#include "jitune/error.hpp"
#include "template/kernel.hpp"
#include "template/template_headers.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

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
