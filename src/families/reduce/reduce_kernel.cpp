#include "families/reduce/reduce_kernel.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "families/reduce/custom_operation.hpp"
#include "families/reduce/reduce_types.hpp"
#include "families/reduce/reduce_workload.hpp"
#include "template/template_headers.hpp"

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
    return builtin_template(
        fmt::format("{}{}", kernel_name(kind), backend == "cuda" ? ".cu" : ".host.cpp"));
}

constexpr std::size_t kSpecFields = 3;

std::vector<std::string> spec_of(ReduceKind kind, std::string_view backend) {
    return {"reduce", std::string(kernel_name(kind)), std::string(backend)};
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
                                 std::make_unique<ReduceWorkload>(kind), spec_of(kind, backend)};
    });
    return *lazy.kernel;
}

Kernel custom_reduce_kernel(ReduceKind kind, std::string_view backend,
                            const CustomOperation& operation) {
    refuse_bad_operation(operation);
    std::vector<std::string> spec = spec_of(kind, backend);
    const std::vector<std::string> fields = fields_of(operation);
    spec.insert(spec.end(), fields.begin(), fields.end());
    TemplateSource source = source_of(kind, backend);
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
    if (kind == kKernelNames.end()) {
        throw Error(ErrorKind::usage, "make a reduction from its spec: this is none");
    }
    const auto shape = static_cast<ReduceKind>(kind - kKernelNames.begin());
    if (spec.size() > kSpecFields) {
        return custom_reduce_kernel(shape, spec[2], custom_operation_of(spec.subspan(kSpecFields)));
    }
    return {KernelTemplate(source_of(shape, spec[2])), std::make_unique<ReduceWorkload>(shape),
            spec_of(shape, spec[2])};
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
