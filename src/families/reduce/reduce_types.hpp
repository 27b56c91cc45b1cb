// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// The type of an operation's result, and of the values that it combines.
enum class ResultKind : std::uint8_t {
    /// Both types have 32 or 64 bits and are of the elements' kind: integers stay integers. A
    /// result may also have the element's own type, for floats of 16 bits, and for minima and
    /// maxima of integers of 8 or 16 bits.
    reduced,
    average,  ///< float64 for integers, which are combined as integers; else as `reduced`
    real,     ///< float64 for integers, which are combined as float64; else as `reduced`
    index,    ///< int64: the place of an element
    truth,    ///< uint8: 0 or 1
    count,    ///< int64
    custom,   ///< any, as CustomOperation::result says
};

/// The result of no elements.
enum class Nothing : std::uint8_t {
    zero,
    one,
    highest,  ///< the result type's infinity, or its highest integer
    lowest,   ///< the result type's negative infinity, or its lowest integer
    nan,
    refused,  ///< there is no such result: Error(usage)
};

/// The data that an operation's kernels are checked and timed on. Combined in any order it gives
/// the same result, so that no tolerance hides a lost or doubled element.
enum class TrialData : std::uint8_t {
    /// Floats: multiples of 1/256 in [-1, 1], not 0, the second half mirrors the first with the
    /// other sign. Integers: their full range.
    mirrored,
    /// Floats: multiples of 1/256 whose magnitudes' sum has at most as many bits as the result's
    /// type. Integers: their full range; a few if they are combined as floats.
    magnitudes,
    squares,  ///< as `magnitudes`, for the sum of their squares
    factors,  ///< floats: 1, -1 and a few powers of 2; integers: odd
    /// Floats: multiples of 1/256 in [-1, 1]. Integers: half of their range, so that a value
    /// outside of it can be planted.
    moderate,
    nonzero,  ///< not 0
    zeros,    ///< 0 and -0
    mixed,    ///< half of it 0 or -0, some of it NaN
    small,    ///< floats: multiples of 1/256 in [-1, 1); integers: at most 100
};

/// How far a right result may be off on the operation's TrialData.
enum class Rounding : std::uint8_t {
    exact,
    sum,         ///< exact up to 2^24 float32 elements
    mean,        ///< as `sum`, and a division
    magnitudes,  ///< exact up to 2^19 float32 elements
    root,        ///< as `magnitudes`, and a square root
    inexact,     ///< every element's value rounds
};

/// The kind of element that decides the result, whatever the other elements are.
enum class Decisive : std::uint8_t { none, smallest, largest, largest_magnitude };

/// All that the library, its checks and its tests know of an operation, but for its code: that of
/// the device is in kernel_templates/include/jitune_operations.h, that of the reference in
/// reference_operations.hpp.
struct ReduceOpRow {
    ReduceOp value;
    std::string_view name;
    ResultKind kind;
    Nothing nothing;
    TrialData data;
    Rounding rounding;
    Decisive decisive;
    /// The operation that combines the results of parts into that of the whole; nothing if no
    /// operation can.
    std::optional<ReduceOp> joined_by;
};

/// All operations in the order of ReduceOp; `custom` is the last.
std::span<const ReduceOpRow> reduce_operations();

/// The row of an operation. Throws Error(usage) for a value that is not of the enumeration, as all
/// functions below do.
const ReduceOpRow& operation_row(ReduceOp op);

/// The types that an operation over `element` can answer in; the first is the default.
std::vector<ElementType> results_of(ElementType element, ReduceOp op);

/// The type in which elements are combined. Throws Error(usage), which lists the possible results,
/// for a result type that the operation does not have.
ElementType accumulator_of(ElementType element, ReduceOp op, ElementType result);

/// The value of a reduction of no elements, in the first bytes_of(result) bytes. Throws
/// Error(usage) for an operation whose row says `refused`.
std::array<std::byte, 8> value_of_nothing(ReduceOp op, ElementType result);

}  // namespace jitune::internal
