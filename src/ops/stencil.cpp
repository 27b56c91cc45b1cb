#include "jitune/stencil.hpp"

#include <array>
#include <chrono>

#include "ops/reduce_kernel.hpp"
#include "ops/stencil_call.hpp"

namespace jitune {

namespace {

using detail::StencilRequest;

/// Of good data that has outputs.
void launch(Engine& engine, StreamSite& site, const StencilRequest& request,
            StencilWeights& weights, const void* input, void* output, Stream stream) {
    launch_stencil(site, request, weights, input, output, stream,
                   [&](std::size_t alignment) -> const Resolved& {
                       return resolve_stencil(engine, site, request, alignment);
                   });
}

/// Host data on a GPU: there and back, away from the app's streams.
void run_copied(Engine& engine, Backend& backend, const StencilRequest& request,
                StencilWeights& weights, const void* input, void* output) {
    constexpr std::chrono::hours kLimit{1};
    const Resolved& resolved = resolve_stencil(engine, backend, request, kFastAlignment);
    const std::size_t element = bytes_of(request.element);
    const std::size_t input_bytes = static_cast<std::size_t>(request.n) * element;
    const std::size_t output_bytes =
        static_cast<std::size_t>(stencil_outputs(request.n, request.stencil)) * element;
    const auto bench = backend.make_bench();
    const auto from = bench->allocate(input_bytes);
    const auto to = bench->allocate(output_bytes);
    bench->upload(from->data(), {static_cast<const std::byte*>(input), input_bytes});
    const std::array<void*, 3> arrays{from->data(), weights.data(), to->data()};
    const Launch bound = resolved.rule.bind(resolved.rule.plan(std::array{request.n}), arrays, {});
    if (const auto failure = bench->run(*resolved.program, bound, kLimit)) {
        throw Error(ErrorKind::device, "stencil of host memory on a GPU: " + failure->reason);
    }
    bench->download({static_cast<std::byte*>(output), output_bytes}, to->data());
}

}  // namespace

namespace detail {

void stencil_host(Session& session, const StencilRequest& request, const void* input,
                  void* output) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    StencilWeights weights(request);
    if (stencil_outputs(request.n, request.stencil) == 0) {
        return;
    }
    refuse_bad_stencil_data(request, input, output);
    Backend& backend = engine.backend(engine.options().device);
    if (platform_of(backend) == "host") {
        return launch(engine, engine.host().site(nullptr), request, weights, input, output,
                      nullptr);
    }
    run_copied(engine, backend, request, weights, input, output);
}

void stencil_device(Session& session, const StencilRequest& request, const void* input,
                    void* output, CUstream_st* stream) {
    Engine& engine = session.engine();
    engine.refuse_fork();
    StencilWeights weights(request);
    if (stencil_outputs(request.n, request.stencil) == 0) {
        return;
    }
    refuse_bad_stencil_data(request, input, output);
    launch(engine, engine.cuda().site(stream), request, weights, input, output, stream);
}

}  // namespace detail

}  // namespace jitune
