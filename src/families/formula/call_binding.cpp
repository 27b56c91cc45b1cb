// SPDX-License-Identifier: Apache-2.0
#include "families/formula/call_binding.hpp"

#include <string>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

LineShape line_shape(FormulaShape::Kind shape) {
    switch (shape) {
        case FormulaShape::Kind::rows:
            return LineShape::rows;
        case FormulaShape::Kind::columns:
            return LineShape::columns;
        case FormulaShape::Kind::segments:
            return LineShape::segments;
        case FormulaShape::Kind::flat:
            break;
    }
    return LineShape::flat;
}

namespace {

/// Whether there is one value for each line, or for each place in a line; else throws.
FormulaInput::Kind kind_in_lines(const FormulaArgument& given, FormulaShape::Kind shape) {
    const FormulaExtent extent = given.extent();
    const FormulaExtent of_lines = shape == FormulaShape::Kind::rows ? FormulaExtent::per_row
                                   : shape == FormulaShape::Kind::columns
                                       ? FormulaExtent::per_column
                                       : FormulaExtent::per_segment;
    const bool is_matrix =
        shape == FormulaShape::Kind::rows || shape == FormulaShape::Kind::columns;
    if (shape == FormulaShape::Kind::flat ||
        (extent != of_lines && (!is_matrix || extent == FormulaExtent::per_segment))) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" has one value per {}, but the call has no such: give "
                                "each_row(), each_column() or each_segment() in place of n",
                                given.name(),
                                extent == FormulaExtent::per_row      ? "row"
                                : extent == FormulaExtent::per_column ? "column"
                                                                      : "segment"));
    }
    return extent == of_lines ? FormulaInput::Kind::lines : FormulaInput::Kind::places;
}

ElementType offset_type(const KernelArgument& offsets) {
    const ElementType type = offsets.type();
    if (offsets.kind() != KernelArgument::Kind::pointer || type < ElementType::int32 ||
        type > ElementType::uint64) {
        throw Error(ErrorKind::usage,
                    "the offsets of segments must be an array of integers of 4 or 8 bytes");
    }
    return type;
}

}  // namespace

FormulaInput::Kind input_kind(const FormulaArgument& given, FormulaShape::Kind shape) {
    if (given.argument().kind() == KernelArgument::Kind::value) {
        return FormulaInput::Kind::value;
    }
    switch (given.extent()) {
        case FormulaExtent::elements:
            return FormulaInput::Kind::array;
        case FormulaExtent::scalar:
            return FormulaInput::Kind::in_memory;
        default:
            return kind_in_lines(given, shape);
    }
}

FormulaBinding call_binding(FormulaArguments inputs, const FormulaShape& shape,
                            FormulaArguments outputs, const OwnOperations& operations) {
    FormulaBinding binding{{}, {}, operations.all()};
    for (const FormulaArgument& one : inputs) {
        binding.inputs.push_back(
            {std::string(one.name()), input_kind(one, shape.kind()), one.argument().type()});
    }
    for (const FormulaArgument& one : outputs) {
        binding.outputs.push_back({std::string(one.name()), one.argument().type()});
    }
    binding.shape = line_shape(shape.kind());
    binding.offset = offset_type(shape.offsets());
    return binding;
}

}  // namespace jitune::internal
