// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "jitune/reduce.hpp"
#include "jitune/tuned_kernel.hpp"

JITUNE_BEGIN_NAMESPACE

/// What a formula reduces: all elements of arrays, or each row, column or segment of them.
class FormulaShape {
public:
    enum class Kind { flat, rows, columns, segments };

    /// Arrays of `n` elements, of which each operation has one result.
    FormulaShape(std::int64_t n) : sizes_{n, 0} {}  // NOLINT(google-explicit-constructor)
    FormulaShape(Kind kind, std::int64_t first, std::int64_t second,
                 KernelArgument offsets = static_cast<const std::int64_t*>(nullptr))
        : kind_(kind), sizes_{first, second}, offsets_(offsets) {}

    [[nodiscard]] Kind kind() const { return kind_; }
    /// n; or rows and columns; or segments and elements.
    [[nodiscard]] std::span<const std::int64_t> sizes() const {
        return std::span(sizes_).first(kind_ == Kind::flat ? 1 : 2);
    }
    /// Of segments.
    [[nodiscard]] const KernelArgument& offsets() const { return offsets_; }

private:
    Kind kind_ = Kind::flat;
    std::int64_t sizes_[2];
    KernelArgument offsets_ = static_cast<const std::int64_t*>(nullptr);
};

/// Row-major matrices of `rows` x `columns` elements without gaps; operations reduce each row. A
/// result is an array of a value for each row.
[[nodiscard]] inline FormulaShape each_row(std::int64_t rows, std::int64_t columns) {
    return {FormulaShape::Kind::rows, rows, columns};
}

/// The same for each column.
[[nodiscard]] inline FormulaShape each_column(std::int64_t rows, std::int64_t columns) {
    return {FormulaShape::Kind::columns, rows, columns};
}

/// Arrays of `n` elements; segment k is the elements from offsets[k] on, before offsets[k + 1]. The
/// `segments` + 1 offsets must not decrease, must lie in [0, n], and lie where the arrays are.
/// Elements before the first one and from the last one on are in no segment: they are neither
/// reduced nor written. A result is an array of a value for each segment.
template <Element T>
requires(std::is_integral_v<T> && sizeof(T) >= 4) [[nodiscard]] FormulaShape
    each_segment(const T* offsets, std::int64_t segments, std::int64_t n) {
    return {FormulaShape::Kind::segments, segments, n, offsets};
}

/// How many values lie at a pointer of a call.
enum class FormulaExtent {
    elements,  ///< one for each element; at the place of a result one for each line
    scalar,
    per_row,
    per_column,
    per_segment,
};

struct FormulaPointer {
    KernelArgument pointer;
    FormulaExtent extent;
};

/// What a formula reads as one value lies at `pointer`, in the memory where the call's arrays are:
/// the result of a call before, for instance.
template <Element T>
[[nodiscard]] FormulaPointer scalar_at(const T* pointer) {
    return {pointer, FormulaExtent::scalar};
}

/// A value for each row, which all elements of the row read; and so on.
template <Element T>
[[nodiscard]] FormulaPointer per_row(const T* pointer) {
    return {pointer, FormulaExtent::per_row};
}
template <Element T>
[[nodiscard]] FormulaPointer per_column(const T* pointer) {
    return {pointer, FormulaExtent::per_column};
}
template <Element T>
[[nodiscard]] FormulaPointer per_segment(const T* pointer) {
    return {pointer, FormulaExtent::per_segment};
}

/// An array, a scalar or the place of a result, by the name that a formula has for it. The name
/// must live until the call returns.
class FormulaArgument {
public:
    /// An array of all elements, or the place of a result.
    template <Element T>
    FormulaArgument(std::string_view name, const T* pointer) : name_(name), argument_(pointer) {}
    /// A scalar by value.
    template <Element T>
    requires(std::is_object_v<T>) FormulaArgument(std::string_view name, T value)
        : name_(name), argument_(value) {}
    FormulaArgument(std::string_view name, const FormulaPointer& at)
        : name_(name), argument_(at.pointer), extent_(at.extent) {}
    /// Of a type that is known at run time only.
    FormulaArgument(std::string_view name, const KernelArgument& argument)
        : name_(name), argument_(argument) {}

    [[nodiscard]] std::string_view name() const { return name_; }
    [[nodiscard]] const KernelArgument& argument() const { return argument_; }
    [[nodiscard]] FormulaExtent extent() const { return extent_; }

private:
    std::string_view name_;
    KernelArgument argument_;
    FormulaExtent extent_ = FormulaExtent::elements;
};

using FormulaArguments = std::span<const FormulaArgument>;

/// A formula over arrays: it reads each once, and gives several results and arrays in one pass.
///
///     const jitune::MapReduce residual("rr = sum(r * r); q = sum(r * z, m != 0)");
///     residual({{"r", r}, {"z", z}, {"m", m}}, n, {{"rr", rr}, {"q", q}}, stream);
///
///     const jitune::MapReduce softmax("t = max(x); s = sum(exp(x - t)); y[i] = exp(x - t) / s");
///     softmax({{"x", x}}, jitune::each_row(rows, columns), {{"y", y}}, stream);
///
/// docs/reference/formulas.md has the grammar and the types. The types of the arguments become part
/// of the kernel: calls with other types, or with other outputs, are tuned apart. A result has the
/// type of the place that the call gives it.
///
/// The first call of each form writes a kernel template, takes the winner from the database, or
/// follows Options::on_miss; later calls only launch. Safe from any thread. The session must
/// outlive the formula. A moved-from formula may only be assigned to or destroyed.
///
/// All functions throw Error: usage (text that is no formula, with the place; names that the
/// formula and the call do not share; types that do not go with an operation; a null or misaligned
/// pointer; sizes below 0, more than 2^40 elements), unavailable, compile, device, verify,
/// not_prepared, forked.
class JITUNE_API MapReduce {
public:
    explicit MapReduce(std::string_view formula, Session& session = Session::standard());
    /// With operations of your own, which the formula calls by their names: with `log_sum`, a
    /// CustomOperation of that name, "s = log_sum(x * y)".
    MapReduce(std::string_view formula, const std::vector<CustomOperation>& operations,
              Session& session = Session::standard());
    ~MapReduce();
    MapReduce(MapReduce&& other) noexcept;
    MapReduce& operator=(MapReduce&& other) noexcept;

    /// Over arrays in device memory, on `stream`. Asynchronous: everything must stay until the work
    /// is done. A written array may lie where the input of its name lies, in place; arrays must not
    /// overlap otherwise: results are wrong where an input is read at [0], or in a later pass.
    /// While `stream` is captured, throws Error(not_prepared) if no call of the same form and size
    /// came before, or if work memory is needed: capture a call of the handle of prepare() there.
    void operator()(FormulaArguments inputs, const FormulaShape& shape, FormulaArguments outputs,
                    CUstream_st* stream = nullptr) const;
    void operator()(std::initializer_list<FormulaArgument> inputs, const FormulaShape& shape,
                    std::initializer_list<FormulaArgument> outputs,
                    CUstream_st* stream = nullptr) const {
        (*this)(FormulaArguments(inputs), shape, FormulaArguments(outputs), stream);
    }

    /// The same over arrays in host memory, on the host; returns when the work is done.
    void on_host(FormulaArguments inputs, const FormulaShape& shape,
                 FormulaArguments outputs) const;
    void on_host(std::initializer_list<FormulaArgument> inputs, const FormulaShape& shape,
                 std::initializer_list<FormulaArgument> outputs) const {
        on_host(FormulaArguments(inputs), shape, FormulaArguments(outputs));
    }

    /// Finds or tunes, compiles, loads and allocates for calls of this form and shape, of sizes of
    /// at least 1, on `device`, which is that of prepare_reduce(). The pointers and values are not
    /// used. The handle is called with the arguments alone: those of the inputs in the order that
    /// they have here, then those of the outputs, then the offsets of segments.
    [[nodiscard]] PreparedKernel prepare(FormulaArguments inputs, const FormulaShape& shape,
                                         FormulaArguments outputs,
                                         std::string_view device = {}) const;
    [[nodiscard]] PreparedKernel prepare(std::initializer_list<FormulaArgument> inputs,
                                         const FormulaShape& shape,
                                         std::initializer_list<FormulaArgument> outputs,
                                         std::string_view device = {}) const {
        return prepare(FormulaArguments(inputs), shape, FormulaArguments(outputs), device);
    }

private:
    struct State;
    std::unique_ptr<const State> state_;
};

namespace detail {

/// Computes a formula of one result over arrays in host memory. Its inputs have the names in the
/// formula, in the order in which these appear. Formulas are kept, so that calls after the first do
/// not read the text again.
JITUNE_API void map_reduce_host(std::string_view formula, std::span<const KernelArgument> arrays,
                                std::span<const std::int64_t> lengths, ElementType result_type,
                                void* result);

}  // namespace detail

/// The last result of a formula over ranges in host memory of equal length:
/// `tuned_map_reduce<double>("sum(x * y)", x, y)`. The arrays come in the order in which the
/// formula names them first. `Result` is by default the reduced type of the first array. Works in
/// the standard session. Throws as MapReduce does, and Error(usage) where a result above the last
/// is not used.
template <class Result = void, detail::HostValues First, detail::HostValues... Others>
[[nodiscard]] auto tuned_map_reduce(std::string_view formula, const First& first,
                                    const Others&... others) {
    detail::ResultOr<Result, detail::ElementOfRange<const First>> result{};
    const KernelArgument arrays[]{std::ranges::data(first), std::ranges::data(others)...};
    const std::int64_t lengths[]{detail::length_of(first), detail::length_of(others)...};
    detail::map_reduce_host(formula, arrays, lengths, kElementType<decltype(result)>, &result);
    return result;
}

/// For arguments that are no such ranges, so that the compiler says so in a sentence.
template <class Result = void, class... Others>
auto tuned_map_reduce(std::string_view /*formula*/, const Others&... /*others*/) {
    // In a variable: of a concept, compilers would tell for pages why it is not met.
    constexpr bool kAreRanges = sizeof...(Others) > 0 && (detail::HostValues<Others> && ...);
    static_assert(kAreRanges,
                  "tuned_map_reduce takes ranges of elements with a length, such as std::vector or "
                  "std::span; scalars and pointers are for MapReduce::on_host, by name");
    return detail::ResultOr<Result, double>{};
}

JITUNE_END_NAMESPACE
