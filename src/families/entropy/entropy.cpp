// SPDX-License-Identifier: Apache-2.0
#include "jitune/entropy.hpp"

#include <fmt/format.h>

#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_bands.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "spread/machine.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;
namespace detail {

void entropy_host(Session& session, const EntropyRequest& request, const void* input,
                  float* output) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_entropy(request);
    if (request.rows == 0 || request.columns == 0) {
        return;
    }
    refuse_bad_entropy_data(request, input, output);
    if (StreamSite* site = host_data_site(engine, kEntropyFamily)) {
        return launch(engine, *site, EntropyCall(request, input, output), nullptr);
    }
    Machine& machine = Machine::of(engine);
    run_placed_entropy(machine, Placement::on(engine.device(engine.options().device)), false,
                       request, input, output);
} catch (...) {
    throw_as_error();
}

void entropy_device(Session& session, const EntropyRequest& request, const void* input,
                    float* output, CUstream_st* stream) try {
    Engine& engine = SessionAccess::engine(session);
    engine.refuse_fork();
    refuse_bad_entropy(request);
    if (request.rows == 0 || request.columns == 0) {
        return;
    }
    refuse_bad_entropy_data(request, input, output);
    launch(engine, device_data_site(engine, stream, [] {}), EntropyCall(request, input, output),
           stream);
} catch (...) {
    throw_as_error();
}

void refuse_bad_array(const char* what, std::size_t size, std::int64_t rows, std::int64_t columns) {
    std::int64_t wanted = 0;
    if (rows < 0 || columns < 0 || __builtin_mul_overflow(rows, columns, &wanted) ||
        static_cast<std::size_t>(wanted) != size) {
        throw Error(ErrorKind::usage,
                    fmt::format("entropy: the {} has {} elements, but the array is {} x {}", what,
                                size, rows, columns));
    }
}

}  // namespace detail

JITUNE_END_NAMESPACE
