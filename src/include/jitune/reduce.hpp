#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "jitune/export.hpp"
#include "jitune/session.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

namespace jitune {

/// What elements are combined with.
///
/// | element | accumulator and result | sum                            | min, max                |
/// |---------|------------------------|--------------------------------|-------------------------|
/// | int32   | int32                  | wraps modulo 2^32              |                         |
/// | int64   | int64                  | wraps modulo 2^64              |                         |
/// | float32 | float32                | any order; see docs/reduce.md  | any NaN makes it NaN    |
/// | float64 | float64                | any order                      | any NaN makes it NaN    |
///
/// Of no elements: sum is 0, min is the type's largest value (+infinity for floats), max the
/// smallest
/// (-infinity). -0 and +0 compare equal: either may be the min or max of both.
enum class ReduceOp { sum, min, max };

enum class ElementType { int32, int64, float32, float64 };

JITUNE_API std::string_view to_string(ReduceOp op);
JITUNE_API std::string_view to_string(ElementType type);

template <class T>
concept Reducible = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, float> || std::same_as<T, double>;

namespace detail {
template <Reducible T>
inline constexpr ElementType kElementType = std::same_as<T, std::int32_t>   ? ElementType::int32
                                            : std::same_as<T, std::int64_t> ? ElementType::int64
                                            : std::same_as<T, float>        ? ElementType::float32
                                                                            : ElementType::float64;

JITUNE_API void reduce_host(Session& session, ElementType type, const void* values, std::size_t n,
                            ReduceOp op, void* result);
JITUNE_API void reduce_device(Session& session, ElementType type, const void* values, std::size_t n,
                              ReduceOp op, void* result);
JITUNE_API void reduce_device_async(Session& session, ElementType type, const void* values,
                                    std::size_t n, ReduceOp op, void* device_result,
                                    CUstream_st* stream);
}  // namespace detail

/// All forms below: the first call for a problem (element type, operation, size bucket, device)
/// looks into the database, and on a miss follows Options::on_miss, which may take Options::budget;
/// later calls only launch. Safe from any thread; threads that need the same problem wait for one
/// of them. Pointers need the alignment of their element only. n up to 2^40.
///
/// They throw Error: usage (null pointer with n > 0), device (a CUDA call failed; an earlier error
/// of the app's own context is reported, never cleared), unavailable, compile, verify (tuning found
/// no configuration that answers rightly), not_prepared, forked. Nothing in the database can make
/// them throw or answer wrongly.

/// Reduces host memory. Runs on the host backend, where the data is, unless Options::device names a
/// CUDA device, which the data is then copied to.
template <Reducible T>
T tuned_reduce(std::span<const T> values, ReduceOp op = ReduceOp::sum,
               Session& session = Session::standard()) {
    T result;
    detail::reduce_host(session, detail::kElementType<T>, values.data(), values.size(), op,
                        &result);
    return result;
}

/// Reduces device memory of the calling thread's current CUDA context (of device 0's primary
/// context where none is current) on its legacy default stream, and waits for the value.
template <Reducible T>
T tuned_reduce(const T* device_values, std::size_t n, ReduceOp op = ReduceOp::sum,
               Session& session = Session::standard()) {
    T result;
    detail::reduce_device(session, detail::kElementType<T>, device_values, n, op, &result);
    return result;
}

/// Enqueues the reduction of device memory on `stream`; one T is written to device_result. Returns
/// before it is done. The values must stay until then. Throws Error(not_prepared) while `stream` is
/// capturing and leaves the capture alive: use prepare_reduce() for that.
template <Reducible T>
void tuned_reduce(const T* device_values, std::size_t n, ReduceOp op, T* device_result,
                  CUstream_st* stream, Session& session = Session::standard()) {
    detail::reduce_device_async(session, detail::kElementType<T>, device_values, n, op,
                                device_result, stream);
}

namespace detail {

/// A resolved problem with scratch memory of its own.
class JITUNE_API PreparedReduction {
public:
    /// `device` as in prepare_reduce.
    PreparedReduction(Session& session, ElementType type, std::size_t n, ReduceOp op,
                      std::string_view device);
    ~PreparedReduction();
    PreparedReduction(PreparedReduction&&) noexcept;
    PreparedReduction& operator=(PreparedReduction&&) noexcept;

    void launch(const void* values, void* result, CUstream_st* stream) const;
    [[nodiscard]] const DispatchInfo& info() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace detail

/// A reduction with everything slow done ahead. Its calls only launch, so they can be captured into
/// a CUDA graph. They share scratch memory: do not let two of them, or a call and a graph made from
/// this handle, run at the same time. The handle must outlive the work and the graphs, and its
/// Session must outlive the handle.
template <Reducible T>
class PreparedReduce {
public:
    /// Enqueues the reduction of `n` values (the n of prepare_reduce) on `stream`. Throws
    /// Error(device), Error(usage) for a null pointer, Error(forked).
    void operator()(const T* device_values, T* device_result, CUstream_st* stream) const {
        reduction_.launch(device_values, device_result, stream);
    }

    [[nodiscard]] const DispatchInfo& info() const { return reduction_.info(); }

private:
    template <Reducible U>
    friend PreparedReduce<U> prepare_reduce(std::size_t n, ReduceOp op, Session& session,
                                            std::string_view device);
    explicit PreparedReduce(detail::PreparedReduction reduction)
        : reduction_(std::move(reduction)) {}

    detail::PreparedReduction reduction_;
};

/// Finds, tunes, compiles, loads and allocates for `n` elements on `device`: a device id such as
/// "cuda:0" or "host" (whose calls take host pointers, ignore the stream and return when done), or
/// empty for the device of the calling thread's current CUDA context, device 0 where none is
/// current. Throws as tuned_reduce does.
template <Reducible T>
PreparedReduce<T> prepare_reduce(std::size_t n, ReduceOp op = ReduceOp::sum,
                                 Session& session = Session::standard(),
                                 std::string_view device = {}) {
    return PreparedReduce<T>(
        detail::PreparedReduction(session, detail::kElementType<T>, n, op, device));
}

}  // namespace jitune
