#include "ops/reduce_kernel.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "ops/reduce_workload.hpp"
#include "support/embedded.hpp"

namespace jitune {

namespace {

struct ElementRow {
    ElementType type;
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array kElements{
    ElementRow{ElementType::int32, "int32", 4},
    ElementRow{ElementType::int64, "int64", 8},
    ElementRow{ElementType::float32, "float32", 4},
    ElementRow{ElementType::float64, "float64", 8},
};

struct OpRow {
    ReduceOp op;
    std::string_view name;
};
constexpr std::array kOps{
    OpRow{ReduceOp::sum, "sum"},
    OpRow{ReduceOp::min, "min"},
    OpRow{ReduceOp::max, "max"},
};

Kernel load_kernel(std::string_view file_name) {
    constexpr std::string_view kHeaders = "include/";
    TemplateSource source;
    for (const embedded::File& file : embedded::kernel_templates) {
        if (file.name == file_name) {
            source.name = file.name;
            source.text = file.text;
        } else if (file.name.starts_with(kHeaders)) {
            source.headers.emplace_back(file.name.substr(kHeaders.size()), file.text);
        }
    }
    return {KernelTemplate(std::move(source)), std::make_unique<ReduceWorkload>()};
}

}  // namespace

const Kernel& reduce_kernel(std::string_view backend) {
    // Never destroyed: threads may still be calling while the process exits.
    if (backend == "cuda") {
        static const Kernel* const kernel = new Kernel(load_kernel("reduce.cu"));
        return *kernel;
    }
    static const Kernel* const kernel = new Kernel(load_kernel("reduce.host.cpp"));
    return *kernel;
}

Problem reduce_problem(ElementType type, ReduceOp op, std::int64_t n) {
    Problem problem;
    problem.kernel = "reduce";
    problem.types = {{"element", std::string(to_string(type))},
                     {"accumulator", std::string(to_string(type))},
                     {"operation", std::string(to_string(op))}};
    problem.sizes = {n};
    problem.alignment = static_cast<std::int64_t>(bytes_of(type));
    return problem;
}

std::size_t bytes_of(ElementType type) {
    return kElements.at(static_cast<std::size_t>(type)).bytes;
}

std::string_view to_string(ElementType type) {
    return kElements.at(static_cast<std::size_t>(type)).name;
}

std::string_view to_string(ReduceOp op) {
    return kOps.at(static_cast<std::size_t>(op)).name;
}

ElementType parse_element_type(std::string_view name) {
    for (const ElementRow& row : kElements) {
        if (row.name == name) {
            return row.type;
        }
    }
    throw Error(
        ErrorKind::usage,
        fmt::format("\"{}\" is no element type: use int32, int64, float32 or float64", name));
}

ReduceOp parse_reduce_op(std::string_view name) {
    for (const OpRow& row : kOps) {
        if (row.name == name) {
            return row.op;
        }
    }
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is no operation: use sum, min or max", name));
}

}  // namespace jitune
