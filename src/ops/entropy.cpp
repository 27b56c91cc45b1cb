#include "jitune/entropy.hpp"

#include <array>
#include <bit>
#include <span>

#include <fmt/format.h>

#include "engine/call_memo.hpp"
#include "ops/entropy_call.hpp"
#include "ops/entropy_kernel.hpp"
#include "ops/machine.hpp"
#include "ops/placed_entropy.hpp"

namespace jitune {

namespace {

using detail::EntropyRequest;

/// What a call brings, in the template's order.
std::array<void*, 3> arrays_of(const EntropyRequest& request, const void* input, float* output) {
    const auto scale = std::bit_cast<std::uint64_t>(scale_of(request.entropy));
    return {const_cast<void*>(input), reinterpret_cast<void*>(scale), output};
}

/// On the site's own memory. The request is good and has elements.
void launch(Engine& engine, StreamSite& site, const EntropyRequest& request, const void* input,
            float* output, Stream stream) {
    const auto sizes = sizes_of(request);
    const CallKey key{site.serial(), entropy_words(request), {sizes[0], sizes[1], 0}};
    CallMemo& memo = CallMemo::here();
    const ReadyLaunch* ready = memo.find(key);
    if (ready == nullptr) [[unlikely]] {
        ready = &memo.prepare(key, sizes, resolve_entropy(engine, site.backend(), request, &site),
                              site);
    }
    (*ready)(arrays_of(request, input, output).data(), stream);
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
    if (StreamSite* site = host_data_site(engine)) {
        return launch(engine, *site, request, input, output, nullptr);
    }
    Machine& machine = Machine::of(engine);
    run_placed_entropy(machine, Placement::on(engine.backend(engine.options().device)), false,
                       request, input, output);
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
