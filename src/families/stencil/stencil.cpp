// SPDX-License-Identifier: Apache-2.0
#include "jitune/stencil.hpp"

#include <array>

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "families/stencil/stencil_bands.hpp"
#include "families/stencil/stencil_call.hpp"
#include "spread/machine.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

namespace {

/// Takes good data that has outputs.
void launch_on(Engine& engine, StreamSite& site, const StencilRequest& request,
               StencilWeights& weights, const void* input, void* output, Stream stream) {
    const std::size_t alignment = stencil_alignment(request, input, output);
    launch(engine, site, StencilCall(request, alignment, input, weights.data(), output), stream);
}

}  // namespace

void stencil_host(Session& session, const StencilRequest& request, const void* input,
                  void* output) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StencilWeights weights(request);
    if (stencil_outputs(request.n, request.stencil) == 0) {
        return;
    }
    refuse_bad_stencil_data(request, input, output);
    if (StreamSite* site = host_data_site(engine, kStencilFamily)) {
        return launch_on(engine, *site, request, weights, input, output, nullptr);
    }
    run_placed_stencil(Machine::of(engine), Placement::on(engine.device(engine.options().device)),
                       request, input, weights.data(), output);
} catch (...) {
    throw_as_error();
}

void stencil_device(Session& session, const StencilRequest& request, const void* input,
                    void* output, CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StencilWeights weights(request);
    if (stencil_outputs(request.n, request.stencil) == 0) {
        return;
    }
    refuse_bad_stencil_data(request, input, output);
    launch_on(engine, device_data_site(engine, stream, [] {}), request, weights, input, output,
              stream);
} catch (...) {
    throw_as_error();
}

void refuse_bad_output(std::size_t size, std::int64_t outputs) {
    if (size != static_cast<std::size_t>(outputs)) {
        throw Error(ErrorKind::usage,
                    fmt::format("stencil: the output array has {} elements, but there are {} "
                                "outputs",
                                size, outputs));
    }
}

}  // namespace detail

JITUNE_END_NAMESPACE
