#include "ops/reduce_kernel.hpp"

#include <array>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ops/custom_operation.hpp"
#include "ops/reduce_types.hpp"
#include "ops/reduce_workload.hpp"
#include "support/embedded.hpp"

namespace jitune {

namespace {

/// In the order of ReduceKind.
constexpr std::array<std::string_view, 4> kKernelNames{"reduce", "reduce_rows", "reduce_columns",
                                                       "reduce_segments"};
constexpr std::string_view kCustomHeader = "jitune_custom.h";

std::string_view kernel_name(ReduceKind kind) {
    return kKernelNames.at(static_cast<std::size_t>(kind));
}

TemplateSource source_of(ReduceKind kind, std::string_view backend) {
    constexpr std::string_view kHeaders = "include/";
    const std::string file_name =
        fmt::format("{}{}", kernel_name(kind), backend == "cuda" ? ".cu" : ".host.cpp");
    TemplateSource source;
    for (const embedded::File& file : embedded::kernel_templates) {
        if (file.name == file_name) {
            source.name = file.name;
            source.text = file.text;
        } else if (file.name.starts_with(kHeaders)) {
            source.headers.emplace_back(file.name.substr(kHeaders.size()), file.text);
        }
    }
    return source;
}

/// A kernel that is parsed when it is first needed, and never destroyed: threads may still be
/// calling while the process exits.
struct LazyKernel {
    std::once_flag once;
    const Kernel* kernel = nullptr;
};

}  // namespace

const Kernel& reduce_kernel(ReduceKind kind, std::string_view backend) {
    static auto& kernels = *new std::array<std::array<LazyKernel, 2>, kKernelNames.size()>;
    LazyKernel& lazy = kernels.at(static_cast<std::size_t>(kind))[backend == "cuda" ? 1 : 0];
    std::call_once(lazy.once, [&] {
        lazy.kernel = new Kernel{KernelTemplate(source_of(kind, backend)),
                                 std::make_unique<ReduceWorkload>(kind)};
    });
    return *lazy.kernel;
}

Kernel custom_reduce_kernel(ReduceKind kind, std::string_view backend,
                            const CustomOperation& operation) {
    refuse_bad_operation(operation);
    TemplateSource source = source_of(kind, backend);
    for (auto& [name, text] : source.headers) {
        if (name == kCustomHeader) {
            text = custom_header(operation);
        }
    }
    return {KernelTemplate(std::move(source)),
            std::make_unique<ReduceWorkload>(kind, operation.tolerance)};
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
    problem.pinned = reduction.configuration;
    return problem;
}

}  // namespace jitune
