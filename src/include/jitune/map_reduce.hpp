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

/// A scalar in the memory where the call's arrays are: of a device, if they are in device memory.
struct ScalarAt {
    KernelArgument pointer;
};

/// What a formula reads as one value lies at `pointer`: the result of a call before, for instance.
template <Element T>
[[nodiscard]] ScalarAt scalar_at(const T* pointer) {
    return {pointer};
}

/// An array, a scalar or the place of a result, by the name that a formula has for it. The name
/// must live until the call returns.
class FormulaArgument {
public:
    /// An array of n elements, or the place of a result.
    template <Element T>
    FormulaArgument(std::string_view name, const T* pointer) : name_(name), argument_(pointer) {}
    /// A scalar by value.
    template <Element T>
    requires(std::is_object_v<T>) FormulaArgument(std::string_view name, T value)
        : name_(name), argument_(value) {}
    FormulaArgument(std::string_view name, ScalarAt scalar)
        : name_(name), argument_(scalar.pointer), is_scalar_(true) {}
    /// Of a type that is known at run time only.
    FormulaArgument(std::string_view name, KernelArgument argument, bool is_scalar = false)
        : name_(name), argument_(argument), is_scalar_(is_scalar) {}

    [[nodiscard]] std::string_view name() const { return name_; }
    [[nodiscard]] const KernelArgument& argument() const { return argument_; }
    /// Whether the pointer is that of one value, not of an array.
    [[nodiscard]] bool is_scalar() const { return is_scalar_; }

private:
    std::string_view name_;
    KernelArgument argument_;
    bool is_scalar_ = false;
};

using FormulaArguments = std::span<const FormulaArgument>;

/// A formula over arrays: it reads each once, and gives several results and arrays in one pass.
///
///     const jitune::MapReduce residual("rr = sum(r * r); worst = max(abs(r)); q = sum(r * z, m !=
///     0)"); residual({{"r", r}, {"z", z}, {"m", mask}}, n, {{"rr", rr}, {"worst", worst}, {"q",
///     q}}, stream);
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
/// pointer; n below 0 or above 2^40), unavailable, compile, device, verify, not_prepared, forked.
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

    /// Over arrays of `n` elements in device memory, on `stream`. Asynchronous: everything must
    /// stay until the work is done. An output may be one of the inputs, in place; arrays must not
    /// overlap otherwise. While `stream` is captured, throws Error(not_prepared) if no call of the
    /// same form and size came before, or if work memory is needed: capture a call of the handle of
    /// prepare() there.
    void operator()(FormulaArguments inputs, std::int64_t n, FormulaArguments outputs,
                    CUstream_st* stream = nullptr) const;
    void operator()(std::initializer_list<FormulaArgument> inputs, std::int64_t n,
                    std::initializer_list<FormulaArgument> outputs,
                    CUstream_st* stream = nullptr) const {
        (*this)(FormulaArguments(inputs), n, FormulaArguments(outputs), stream);
    }

    /// The same over arrays in host memory, on the host; returns when the work is done.
    void on_host(FormulaArguments inputs, std::int64_t n, FormulaArguments outputs) const;
    void on_host(std::initializer_list<FormulaArgument> inputs, std::int64_t n,
                 std::initializer_list<FormulaArgument> outputs) const {
        on_host(FormulaArguments(inputs), n, FormulaArguments(outputs));
    }

    /// Finds or tunes, compiles, loads and allocates for calls of this form with `n` elements, n at
    /// least 1, on `device`, which is that of prepare_reduce(). The pointers and values are not
    /// used. The handle is called with the arguments alone: those of the inputs in the order that
    /// they have here, then those of the outputs.
    [[nodiscard]] PreparedKernel prepare(FormulaArguments inputs, std::int64_t n,
                                         FormulaArguments outputs,
                                         std::string_view device = {}) const;
    [[nodiscard]] PreparedKernel prepare(std::initializer_list<FormulaArgument> inputs,
                                         std::int64_t n,
                                         std::initializer_list<FormulaArgument> outputs,
                                         std::string_view device = {}) const {
        return prepare(FormulaArguments(inputs), n, FormulaArguments(outputs), device);
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

/// The one result of a formula over ranges in host memory of equal length:
/// `tuned_map_reduce<double>("sum(x * y)", x, y)`. The arrays come in the order in which the
/// formula names them first. `Result` is by default the reduced type of the first array. Works in
/// the standard session. Throws as MapReduce does.
template <class Result = void, detail::HostValues First, detail::HostValues... Others>
[[nodiscard]] auto tuned_map_reduce(std::string_view formula, const First& first,
                                    const Others&... others) {
    detail::ResultOr<Result, detail::ElementOfRange<const First>> result{};
    const KernelArgument arrays[]{std::ranges::data(first), std::ranges::data(others)...};
    const std::int64_t lengths[]{detail::length_of(first), detail::length_of(others)...};
    detail::map_reduce_host(formula, arrays, lengths, kElementType<decltype(result)>, &result);
    return result;
}

JITUNE_END_NAMESPACE
