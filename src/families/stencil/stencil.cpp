// SPDX-License-Identifier: Apache-2.0
#include "jitune/stencil.hpp"

#include <array>

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "families/stencil/placed_stencil.hpp"
#include "families/stencil/stencil_call.hpp"
#include "placement/machine.hpp"

namespace jitune::internal {

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

}  // namespace

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

void stencil_host(Session& session, const StencilRequest& request, const void* input,
                  void* output) {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StencilWeights weights(request);
    if (stencil_outputs(request.n, request.stencil) == 0) {
        return;
    }
    refuse_bad_stencil_data(request, input, output);
    if (StreamSite* site = host_data_site(engine)) {
        return launch(engine, *site, request, weights, input, output, nullptr);
    }
    run_placed_stencil(Machine::of(engine), Placement::on(engine.device(engine.options().device)),
                       request, input, weights.data(), output);
}

void refuse_bad_output(std::size_t size, std::int64_t outputs) {
    if (size != static_cast<std::size_t>(outputs)) {
        throw Error(ErrorKind::usage,
                    fmt::format("stencil: the output has {} elements, and there are {} outputs",
                                size, outputs));
    }
}

void stencil_device(Session& session, const StencilRequest& request, const void* input,
                    void* output, CUstream_st* stream) {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    StencilWeights weights(request);
    if (stencil_outputs(request.n, request.stencil) == 0) {
        return;
    }
    refuse_bad_stencil_data(request, input, output);
    launch(engine, engine.cuda().site(stream), request, weights, input, output, stream);
}

}  // namespace detail

JITUNE_END_NAMESPACE
