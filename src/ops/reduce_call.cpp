#include "ops/reduce_call.hpp"

#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "ops/element_visit.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune {

DispatchKey ReduceCall::key() const {
    const auto types = static_cast<std::uint64_t>(type) * 256 + static_cast<std::uint64_t>(op);
    return {&backend, &kernel, types, size_bucket(std::span(&n, 1))};
}

void refuse_bad_count(std::size_t n) {
    constexpr std::size_t kMostElements = std::size_t{1} << 40;
    if (n > kMostElements) {
        throw Error(ErrorKind::usage, fmt::format("reduce {} elements: at most 2^40", n));
    }
}

void refuse_bad_op(ReduceOp op) {
    if (op != ReduceOp::sum && op != ReduceOp::min && op != ReduceOp::max) {
        throw Error(ErrorKind::usage, fmt::format("reduce: {} is no ReduceOp: use sum, min or max",
                                                  static_cast<int>(op)));
    }
}

void refuse_bad_pointers(ElementType type, const void* values, std::size_t n, const void* result) {
    if (values == nullptr || result == nullptr) {
        throw Error(ErrorKind::usage, fmt::format("reduce {} elements: {} is a null pointer", n,
                                                  result == nullptr ? "the result" : "values"));
    }
    const auto bits =
        reinterpret_cast<std::uintptr_t>(values) | reinterpret_cast<std::uintptr_t>(result);
    if (bits % bytes_of(type) != 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("reduce {} elements of {}: a pointer is not aligned to {} bytes", n,
                                to_string(type), bytes_of(type)));
    }
}

std::array<std::byte, 8> reduce_identity(ElementType type, ReduceOp op) {
    refuse_bad_op(op);
    std::array<std::byte, 8> bytes{};
    visit_element(to_string(type), [&]<class T>(T value) {
        using Limits = std::numeric_limits<T>;
        if (op == ReduceOp::min) {
            value = Limits::has_infinity ? Limits::infinity() : Limits::max();
        } else if (op == ReduceOp::max) {
            value = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        }
        std::memcpy(bytes.data(), &value, sizeof value);
    });
    return bytes;
}

const Resolved& resolve(Engine& engine, const ReduceCall& call, Stream stream) {
    const DispatchKey key = call.key();
    if (const Resolved* found = engine.table().find(key)) {
        return *found;
    }
    call.backend.refuse_capture(stream, "tuned_reduce");
    return engine.resolve(key, call.backend, call.kernel,
                          reduce_problem(call.type, call.op, call.n));
}

ReduceCall cuda_call(Engine& engine, ElementType type, ReduceOp op, std::size_t n) {
    refuse_bad_count(n);
    refuse_bad_op(op);
    Platform& cuda = engine.cuda();
    return {cuda.device(cuda.current_device()), reduce_kernel("cuda"), type, op,
            static_cast<std::int64_t>(n)};
}

ReduceCall call_on(Engine& engine, std::string_view device, ElementType type, ReduceOp op,
                   std::size_t n) {
    refuse_bad_count(n);
    refuse_bad_op(op);
    Backend& backend = engine.backend(device);
    const bool host = backend.info().id.starts_with("host");
    return {backend, reduce_kernel(host ? "host" : "cuda"), type, op, static_cast<std::int64_t>(n)};
}

}  // namespace jitune
