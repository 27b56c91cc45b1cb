#include "jitune/entropy.hpp"

#include <array>
#include <chrono>
#include <span>

#include <fmt/format.h>

#include "ops/entropy_call.hpp"
#include "ops/entropy_kernel.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune {

namespace {

using detail::EntropyRequest;

/// On the site's own memory. The request is good and has elements.
void launch(Engine& engine, StreamSite& site, const EntropyRequest& request, const void* input,
            float* output, Stream stream) {
    launch_entropy(site, request, input, output, stream, [&]() -> const Resolved& {
        return resolve_entropy(engine, site.backend(), request, &site);
    });
}

/// Host data on a GPU: there and back, away from the app's streams.
void launch_copied(Engine& engine, Backend& backend, const EntropyRequest& request,
                   const void* input, float* output) {
    constexpr std::chrono::hours kLimit{1};
    const Resolved& resolved = resolve_entropy(engine, backend, request);
    const auto bench = backend.make_bench();
    const auto count = static_cast<std::size_t>(request.rows * request.columns);
    const std::size_t input_bytes = count * bytes_of(request.element);
    const auto device_input = bench->allocate(input_bytes);
    const auto device_output = bench->allocate(count * sizeof *output);
    bench->upload(device_input->data(), {static_cast<const std::byte*>(input), input_bytes});
    const auto arrays =
        entropy_arrays(request, device_input->data(), static_cast<float*>(device_output->data()));
    const LaunchRule::Plan plan = resolved.rule.plan(sizes_of(request));
    const Launch bound = resolved.rule.bind(plan, arrays, {});
    if (const auto failure = bench->run(*resolved.program, bound, kLimit)) {
        throw Error(ErrorKind::device, "entropy of host memory on a GPU: " + failure->reason);
    }
    bench->download(std::as_writable_bytes(std::span(output, count)), device_output->data());
}

}  // namespace

namespace detail {

void entropy_host(Session& session, const EntropyRequest& request, const void* input,
                  float* output) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    refuse_bad_entropy(request);
    if (request.rows == 0 || request.columns == 0) {
        return;
    }
    refuse_bad_arrays(request, input, output);
    Backend& backend = engine.backend(engine.options().device);
    if (platform_of(backend) == "host") {
        return launch(engine, engine.host().site(nullptr), request, input, output, nullptr);
    }
    launch_copied(engine, backend, request, input, output);
}

void entropy_device(Session& session, const EntropyRequest& request, const void* input,
                    float* output, CUstream_st* stream) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    refuse_bad_entropy(request);
    if (request.rows == 0 || request.columns == 0) {
        return;
    }
    refuse_bad_arrays(request, input, output);
    launch(engine, engine.cuda().site(stream), request, input, output, stream);
}

void refuse_bad_array(std::size_t size, std::int64_t rows, std::int64_t columns) {
    std::int64_t wanted = 0;
    if (rows < 0 || columns < 0 || __builtin_mul_overflow(rows, columns, &wanted) ||
        static_cast<std::size_t>(wanted) != size) {
        throw Error(
            ErrorKind::usage,
            fmt::format("entropy: an array of {} x {} has not {} elements", rows, columns, size));
    }
}

}  // namespace detail

}  // namespace jitune
