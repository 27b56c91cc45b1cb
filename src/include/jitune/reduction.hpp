// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jitune/element_type.hpp"
#include "jitune/export.hpp"

JITUNE_BEGIN_NAMESPACE

/// The operation that combines elements. R, the result type, is the one that the caller asks for;
/// sums, products and extremes also accumulate in it. docs/reference/reduce.md has every rule.
///
/// | operation             | result                                        | of no elements |
/// |-----------------------|-----------------------------------------------|----------------|
/// | sum                   | R: integers wrap                              | 0              |
/// | product               | R: integers wrap                              | 1              |
/// | min, max              | R; any NaN makes it NaN                       | R's extreme    |
/// | sum_of_squares        | R                                             | 0              |
/// | sum_abs, max_abs      | R; any NaN makes it NaN                       | 0              |
/// | mean, norm            | float64 of integers, else R                   | NaN, 0         |
/// | arg_min, arg_max      | int64: the first index; the first NaN wins    | refused        |
/// | all, any              | bool: is each, is one element not 0?          | true, false    |
/// | count_nonzero         | int64; a NaN is not 0                         | 0              |
/// | custom                | CustomOperation::result                       | refused        |
///
/// R is int32 or int64 for signed integers, uint32 or uint64 for unsigned ones, float32 or float64
/// for floats; or the element's own type: float16 and bfloat16, and for min and max any integer.
enum class ReduceOp : std::uint8_t {
    sum,
    product,
    min,
    max,
    arg_min,
    arg_max,
    mean,
    sum_of_squares,
    norm,  ///< Euclidean: the square root of the sum of squares
    sum_abs,
    max_abs,
    all,
    any,
    count_nonzero,
    custom,
};

/// "sum", "arg_min" …
JITUNE_API std::string_view to_string(ReduceOp op);

/// Throws Error(usage) with the list of known names.
JITUNE_API ReduceOp parse_reduce_op(std::string_view name);

/// How far the results of two calls with the same data agree.
enum class Determinism : std::uint8_t {
    run_to_run,  ///< the same bits, on one device and until the problem is tuned again
    any,         ///< the fastest configuration: sums of floats may differ from call to call
    pinned,      ///< the same bits, also after tuning: the caller names the configuration
};

JITUNE_API std::string_view to_string(Determinism determinism);
JITUNE_API Determinism parse_determinism(std::string_view name);

/// An operation given as C++ source text for the device compiler. Each expression may use the names
/// that `definitions` declares. The combination must be associative and commutative.
///
/// log(sum(exp(x))) in one pass:
///     name        = "log_sum_exp"
///     definitions = "struct Pair { float top, sum; };"
///     state       = "Pair"
///     identity    = "Pair{-1e38f, 0.0f}"
///     map         = "Pair{x, 1.0f}"
///     combine     = "a.top < b.top ? Pair{b.top, b.sum + a.sum * expf(a.top - b.top)}
///                                  : Pair{a.top, a.sum + b.sum * expf(b.top - a.top)}"
///     finish      = "a.top + logf(a.sum)"
struct CustomOperation {
    std::string name;  ///< a C identifier; for messages and the database
    /// C++ in a namespace of its own; may be empty. No field may have a preprocessor directive.
    std::string definitions;
    /// The type that is combined: 1 to 4, 8, 12 or 16 bytes, trivially copyable and default
    /// constructible.
    std::string state;
    std::string identity;  ///< expression of type `state`
    std::string map;       ///< expression of type `state` over `x`, an element, and `i`, its index
    std::string combine;   ///< expression of type `state` over `a` and `b`
    std::string finish = "a";  ///< expression over `a`, the combination of all, and `n`
    ElementType result = ElementType::float32;
    /// The largest relative difference between two right results that rounding in another order may
    /// cause. 0 for exact operations, which give the same bits in any order.
    double tolerance = 1e-3;
};

/// An operation and how reproducible its results must be. Converts from a ReduceOp and from a
/// CustomOperation. Refers to the caller's operation and text, which must outlive the call.
struct Reduction {
    ReduceOp op = ReduceOp::sum;
    Determinism determinism = Determinism::run_to_run;
    /// Determinism::pinned: a configuration as DispatchInfo::configuration gives it.
    std::string_view configuration;
    const CustomOperation* custom = nullptr;

    Reduction(ReduceOp operation = ReduceOp::sum,
              Determinism wanted = Determinism::run_to_run)  // NOLINT(google-explicit-constructor)
        : op(operation), determinism(wanted) {}
    Reduction(ReduceOp operation, std::string_view pinned_configuration)
        : op(operation), determinism(Determinism::pinned), configuration(pinned_configuration) {}
    Reduction(const CustomOperation& operation,
              Determinism wanted = Determinism::run_to_run)  // NOLINT(google-explicit-constructor)
        : op(ReduceOp::custom), determinism(wanted), custom(&operation) {}
};

JITUNE_END_NAMESPACE
