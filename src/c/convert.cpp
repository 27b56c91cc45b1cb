// SPDX-License-Identifier: Apache-2.0
#include "c/convert.hpp"

#include <cstring>
#include <string>

#include <fmt/format.h>

#include "c/error.hpp"
#include "families/reduce/reduce_types.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// The C name of an enumeration of both languages, and its last value.
struct EnumRow {
    const char* name;
    int last;
};
template <class Value>
constexpr EnumRow kEnum{};
template <>
constexpr EnumRow kEnum<ElementType>{"jitune_type", JITUNE_FLOAT64};
template <>
constexpr EnumRow kEnum<ReduceOp>{"jitune_reduce_op", JITUNE_CUSTOM};
template <>
constexpr EnumRow kEnum<Determinism>{"jitune_determinism", JITUNE_PINNED};
template <>
constexpr EnumRow kEnum<detail::ReduceShape::Kind>{"jitune_reduce_shape", JITUNE_SEGMENTS};
template <>
constexpr EnumRow kEnum<FormulaShape::Kind>{"jitune_reduce_shape", JITUNE_SEGMENTS};
template <>
constexpr EnumRow kEnum<FormulaExtent>{"jitune_formula_extent", JITUNE_PER_SEGMENT};
template <>
constexpr EnumRow kEnum<Boundary>{"jitune_boundary", JITUNE_WRAP};
template <>
constexpr EnumRow kEnum<KernelArgument::Kind>{"jitune_argument_kind", JITUNE_VALUE};

// The enumerations have the same values in the same order.
static_assert(static_cast<int>(ElementType::float16) == JITUNE_FLOAT16);
static_assert(static_cast<int>(ElementType::float64) == JITUNE_FLOAT64);
static_assert(static_cast<int>(ReduceOp::norm) == JITUNE_NORM);
static_assert(static_cast<int>(ReduceOp::custom) == JITUNE_CUSTOM);
static_assert(static_cast<int>(Determinism::any) == JITUNE_ANY_ORDER);
static_assert(static_cast<int>(Determinism::pinned) == JITUNE_PINNED);
static_assert(static_cast<int>(detail::ReduceShape::Kind::columns) == JITUNE_COLUMNS);
static_assert(static_cast<int>(detail::ReduceShape::Kind::segments) == JITUNE_SEGMENTS);
static_assert(static_cast<int>(FormulaShape::Kind::columns) == JITUNE_COLUMNS);
static_assert(static_cast<int>(FormulaShape::Kind::segments) == JITUNE_SEGMENTS);
static_assert(static_cast<int>(FormulaExtent::scalar) == JITUNE_SCALAR);
static_assert(static_cast<int>(FormulaExtent::per_segment) == JITUNE_PER_SEGMENT);
static_assert(static_cast<int>(Boundary::clamp) == JITUNE_CLAMP);
static_assert(static_cast<int>(Boundary::wrap) == JITUNE_WRAP);
static_assert(static_cast<int>(KernelArgument::Kind::untyped_pointer) == JITUNE_POINTER);
static_assert(static_cast<int>(KernelArgument::Kind::value) == JITUNE_VALUE);

template <class Value, class C>
Value value_of(C value) {
    constexpr EnumRow kRow = kEnum<Value>;
    const int number = value;
    if (number < 0 || number > kRow.last) {
        throw Error(ErrorKind::usage, fmt::format("{} is no {}: give 0 to {}, by its name", number,
                                                  kRow.name, kRow.last));
    }
    return static_cast<Value>(number);
}

std::string text_of(const char* text, const char* what) {
    refuse_null(text, what);
    return text;
}

CustomOperation custom_operation(const jitune_custom_operation& custom) {
    CustomOperation result;
    result.name = text_of(custom.name, "jitune_custom_operation.name");
    result.definitions = custom.definitions == nullptr ? "" : custom.definitions;
    result.state = text_of(custom.state, "jitune_custom_operation.state");
    result.identity = text_of(custom.identity, "jitune_custom_operation.identity");
    result.map = text_of(custom.map, "jitune_custom_operation.map");
    result.combine = text_of(custom.combine, "jitune_custom_operation.combine");
    if (custom.finish != nullptr) {
        result.finish = custom.finish;
    }
    result.result = value_of<ElementType>(custom.result);
    result.tolerance = custom.tolerance;
    return result;
}

detail::ReduceShape shape_of(const jitune_reduction& reduction) {
    const auto kind = value_of<detail::ReduceShape::Kind>(reduction.shape);
    const bool is_whole = kind == detail::ReduceShape::Kind::all;
    return {kind, is_whole ? 1 : reduction.outer, reduction.inner};
}

const jitune_reduction& reduction_at(const char* call, const jitune_reduction* reduction) {
    refuse_null(reduction, call, "reduction");
    return *reduction;
}

std::optional<CustomOperation> custom_of(const jitune_reduction& reduction) {
    if (reduction.op != JITUNE_CUSTOM) {
        if (reduction.custom != nullptr) {
            throw Error(ErrorKind::usage,
                        "jitune_reduction.custom is given: set op to JITUNE_CUSTOM, or it to null");
        }
        return std::nullopt;
    }
    refuse_null(reduction.custom, "jitune_reduction.custom");
    return custom_operation(*reduction.custom);
}

Reduction operation_of(const jitune_reduction& reduction,
                       const std::optional<CustomOperation>& custom) {
    Reduction result(value_of<ReduceOp>(reduction.op),
                     value_of<Determinism>(reduction.determinism));
    result.custom = custom ? &*custom : nullptr;
    if (reduction.configuration != nullptr) {
        result.configuration = reduction.configuration;
    }
    return result;
}

KernelArgument kernel_argument(const jitune_argument& one) {
    const auto kind = value_of<KernelArgument::Kind>(one.kind);
    if (kind == KernelArgument::Kind::untyped_pointer) {
        return one.as.pointer;
    }
    const auto type = value_of<ElementType>(one.type);
    if (kind == KernelArgument::Kind::pointer) {
        return KernelArgument::array(type, one.as.pointer);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &one.as, bytes_of(type));
    return KernelArgument::scalar(type, bits);
}

}  // namespace

ReduceInput::ReduceInput(const char* call, const jitune_reduction* reduction)
    : custom_(custom_of(reduction_at(call, reduction))),
      request_{value_of<ElementType>(reduction->element), value_of<ElementType>(reduction->result),
               operation_of(*reduction, custom_), shape_of(*reduction)} {}

void refuse_unwanted_offsets(const char* call, detail::ReduceShape::Kind kind,
                             const int64_t* offsets) {
    if (kind != detail::ReduceShape::Kind::segments && offsets != nullptr) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: only segments have offsets: give null", call));
    }
}

std::vector<CustomOperation> custom_operations(const char* call,
                                               const jitune_custom_operation* operations,
                                               std::size_t count) {
    std::vector<CustomOperation> result;
    for (std::size_t i = 0; i < count; ++i) {
        refuse_null(operations, call, "operations");
        result.push_back(custom_operation(operations[i]));
    }
    return result;
}

detail::StencilRequest stencil_request(const char* call, const jitune_stencil* stencil) {
    refuse_null(stencil, call, "stencil");
    Stencil result;
    result.radius = stencil->radius;
    if (stencil->weights != nullptr && stencil->radius >= 1 &&
        stencil->radius <= Stencil::kMaxRadius) {
        result.weights = {stencil->weights, 2 * static_cast<std::size_t>(stencil->radius) + 1};
    }
    result.mean = stencil->mean != 0;
    result.boundary = value_of<Boundary>(stencil->boundary);
    return {value_of<ElementType>(stencil->element), result, stencil->n};
}

detail::EntropyRequest entropy_request(const char* call, const jitune_entropy* entropy) {
    refuse_null(entropy, call, "entropy");
    return {value_of<ElementType>(entropy->element),
            entropy->rows,
            entropy->columns,
            {entropy->window, entropy->levels, entropy->base}};
}

std::vector<KernelSize> kernel_sizes(const char* call, const jitune_size* sizes,
                                     std::size_t count) {
    std::vector<KernelSize> result;
    for (std::size_t i = 0; i < count; ++i) {
        refuse_null(sizes, call, "sizes");
        const char* const name = sizes[i].name;
        result.push_back(name == nullptr ? KernelSize(sizes[i].value)
                                         : KernelSize(name, sizes[i].value));
    }
    return result;
}

std::vector<KernelArgument> kernel_arguments(const char* call, const jitune_argument* arguments,
                                             std::size_t count) {
    std::vector<KernelArgument> result;
    for (std::size_t i = 0; i < count; ++i) {
        refuse_null(arguments, call, "arguments");
        result.push_back(kernel_argument(arguments[i]));
    }
    return result;
}

std::vector<FormulaArgument> formula_arguments(const char* call, const char* what,
                                               const jitune_formula_argument* arguments,
                                               std::size_t count) {
    std::vector<FormulaArgument> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        refuse_null(arguments, call, what);
        refuse_null(arguments[i].name, "jitune_formula_argument.name");
        result.emplace_back(arguments[i].name,
                            FormulaPointer{kernel_argument(arguments[i].argument),
                                           value_of<FormulaExtent>(arguments[i].extent)});
    }
    return result;
}

FormulaShape formula_shape(const jitune_formula_shape& shape) {
    const auto kind = value_of<FormulaShape::Kind>(shape.kind);
    if (kind == FormulaShape::Kind::flat) {
        return shape.inner;
    }
    if (kind != FormulaShape::Kind::segments) {
        return {kind, shape.outer, shape.inner};
    }
    return {kind, shape.outer, shape.inner, kernel_argument(shape.offsets)};
}

}  // namespace jitune::internal

using namespace jitune::internal;

jitune_reduction jitune_reduction_of(jitune_type element, jitune_reduce_op op, int64_t n) {
    jitune_reduction reduction{};
    reduction.element = element;
    reduction.op = op;
    reduction.inner = n;
    reduction.result = JITUNE_FLOAT32;
    try {
        const auto results =
            results_of(value_of<jitune::ElementType>(element), value_of<jitune::ReduceOp>(op));
        if (op != JITUNE_CUSTOM) {
            reduction.result = static_cast<jitune_type>(results.front());
        }
    } catch (const std::exception&) {  // the call that is made with it says so
    }
    return reduction;
}

jitune_entropy jitune_entropy_of(jitune_type element, int64_t rows, int64_t columns) {
    const jitune::Entropy usual;
    return {element, rows, columns, usual.window, usual.levels, usual.base};
}
