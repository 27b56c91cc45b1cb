#include "jitune/reduce.hpp"

#include <array>
#include <cstring>

#include "engine/plan_memo.hpp"
#include "ops/reduce_call.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune {

namespace {

void launch(Engine& engine, const ReduceCall& call, const void* values, void* result,
            Stream stream) {
    const Resolved& resolved = resolve(engine, call, stream);
    const std::array sizes{call.n};
    const std::array arrays{const_cast<void*>(values), result};
    const LaunchRule::Plan& plan = remembered_plan(resolved, sizes);
    const Scratch scratch = call.backend.stream_scratch(stream, plan.scratch);
    resolved.program->launch(resolved.rule.bind(plan, arrays, scratch), stream);
}

/// On the legacy default stream, through an element of device memory.
void reduce_and_read(Engine& engine, const ReduceCall& call, const void* values, void* result) {
    call.backend.refuse_capture(nullptr, "tuned_reduce that returns a value");
    const auto memory = call.backend.allocate(bytes_of(call.type));
    launch(engine, call, values, memory->data(), nullptr);
    call.backend.read_back(std::span(static_cast<std::byte*>(result), bytes_of(call.type)),
                           memory->data(), nullptr);
}

void copy_identity(ElementType type, ReduceOp op, void* result) {
    std::memcpy(result, reduce_identity(type, op).data(), bytes_of(type));
}

}  // namespace

namespace detail {

void reduce_host(Session& session, ElementType type, const void* values, std::size_t n, ReduceOp op,
                 void* result) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    if (n == 0) {
        return copy_identity(type, op, result);
    }
    refuse_bad_pointers(type, values, n, result);
    const ReduceCall call = call_on(engine, engine.options().device, type, op, n);
    if (call.backend.info().id == "host") {
        return launch(engine, call, values, result, nullptr);
    }
    const auto bench = call.backend.make_bench();
    const std::size_t bytes = n * bytes_of(type);
    const auto memory = bench->allocate(bytes);
    bench->upload(memory->data(), std::span(static_cast<const std::byte*>(values), bytes));
    reduce_and_read(engine, call, memory->data(), result);
}

void reduce_device(Session& session, ElementType type, const void* values, std::size_t n,
                   ReduceOp op, void* result) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    if (n == 0) {
        return copy_identity(type, op, result);
    }
    refuse_bad_pointers(type, values, n, result);
    reduce_and_read(engine, cuda_call(engine, type, op, n), values, result);
}

void reduce_device_async(Session& session, ElementType type, const void* values, std::size_t n,
                         ReduceOp op, void* device_result, CUstream_st* stream) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    const ReduceCall call = cuda_call(engine, type, op, n);
    refuse_bad_pointers(type, n == 0 ? device_result : values, n, device_result);
    if (n == 0) {
        const auto identity = reduce_identity(type, op);
        return call.backend.write(device_result, std::span(identity).first(bytes_of(type)), stream);
    }
    launch(engine, call, values, device_result, stream);
}

}  // namespace detail

}  // namespace jitune
