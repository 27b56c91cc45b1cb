// SPDX-License-Identifier: Apache-2.0
#include "c/convert.hpp"
#include "c/error.hpp"
#include "c/handles.hpp"
#include "dispatch/answer/call_check.hpp"
#include "jitune/error.hpp"
#include "jitune/reduce_shapes.hpp"

using namespace jitune;
using namespace jitune::internal;

namespace {

/// Failures are those of the call that follows: they are not remembered.
template <class Work>
int is_done(const Work& work) noexcept {
    try {
        return work() ? 1 : 0;
    } catch (...) {
        return 0;
    }
}

}  // namespace

jitune_status jitune_reduce(jitune_session* session, const jitune_reduction* reduction,
                            const void* in, const int64_t* offsets, void* out,
                            jitune_stream stream) {
    return guarded([&] {
        const ReduceInput input("jitune_reduce", reduction);
        refuse_unwanted_offsets("jitune_reduce", input.request().shape.kind, offsets);
        detail::reduce_device_async(session_of(session), input.request(), {in, offsets, out},
                                    stream);
    });
}

jitune_status jitune_reduce_wait(jitune_session* session, const jitune_reduction* reduction,
                                 const void* in, void* out, jitune_stream stream) {
    return guarded([&] {
        const ReduceInput input("jitune_reduce_wait", reduction);
        refuse_null(out, "jitune_reduce_wait: out");
        if (reduction->shape != JITUNE_WHOLE) {
            throw Error(ErrorKind::usage,
                        "jitune_reduce_wait: only JITUNE_WHOLE has one result to wait for; call "
                        "jitune_reduce");
        }
        detail::reduce_device(session_of(session), input.request(), in, out, stream);
    });
}

jitune_status jitune_reduce_host(jitune_session* session, const jitune_reduction* reduction,
                                 const void* in, const int64_t* offsets, void* out) {
    return guarded([&] {
        const ReduceInput input("jitune_reduce_host", reduction);
        const detail::ReduceShape& shape = input.request().shape;
        refuse_unwanted_offsets("jitune_reduce_host", shape.kind, offsets);
        if (shape.kind == detail::ReduceShape::Kind::segments && shape.outer >= 0) {
            refuse_bad_pointer("jitune_reduce_host", "the array of offsets", offsets,
                               sizeof *offsets);
            detail::refuse_bad_request(input.request());
            detail::refuse_bad_offsets({offsets, static_cast<std::size_t>(shape.outer) + 1},
                                       shape.inner);
        }
        detail::reduce_host(session_of(session), input.request(), {in, offsets, out});
    });
}

int jitune_reduce_known(jitune_session* session, const jitune_reduction* reduction, const void* in,
                        const int64_t* offsets, void* out, jitune_stream stream) {
    return is_done([&] {
        const ReduceInput input("jitune_reduce_known", reduction);
        refuse_unwanted_offsets("jitune_reduce_known", input.request().shape.kind, offsets);
        return detail::reduce_device_known(session_of(session), input.request(), {in, offsets, out},
                                           stream);
    });
}

int jitune_reduce_host_known(jitune_session* session, const jitune_reduction* reduction,
                             const void* in, const int64_t* offsets, void* out) {
    return is_done([&] {
        const ReduceInput input("jitune_reduce_host_known", reduction);
        const detail::ReduceShape::Kind kind = input.request().shape.kind;
        refuse_unwanted_offsets("jitune_reduce_host_known", kind, offsets);
        return kind != detail::ReduceShape::Kind::segments &&  // their offsets must be checked
               detail::reduce_host_known(session_of(session), input.request(), {in, offsets, out});
    });
}

int64_t jitune_stencil_outputs(const jitune_stencil* stencil) {
    int64_t outputs = 0;
    guarded([&] {
        const detail::StencilRequest request = stencil_request("jitune_stencil_outputs", stencil);
        outputs = stencil_outputs(request.n, request.stencil);
    });
    return outputs;
}

jitune_status jitune_apply_stencil(jitune_session* session, const jitune_stencil* stencil,
                                   const void* in, void* out, jitune_stream stream) {
    return guarded([&] {
        detail::stencil_device(session_of(session),
                               stencil_request("jitune_apply_stencil", stencil), in, out, stream);
    });
}

jitune_status jitune_apply_stencil_host(jitune_session* session, const jitune_stencil* stencil,
                                        const void* in, void* out) {
    return guarded([&] {
        detail::stencil_host(session_of(session),
                             stencil_request("jitune_apply_stencil_host", stencil), in, out);
    });
}

jitune_status jitune_compute_entropy(jitune_session* session, const jitune_entropy* entropy,
                                     const void* in, float* out, jitune_stream stream) {
    return guarded([&] {
        detail::entropy_device(session_of(session),
                               entropy_request("jitune_compute_entropy", entropy), in, out, stream);
    });
}

jitune_status jitune_compute_entropy_host(jitune_session* session, const jitune_entropy* entropy,
                                          const void* in, float* out) {
    return guarded([&] {
        detail::entropy_host(session_of(session),
                             entropy_request("jitune_compute_entropy_host", entropy), in, out);
    });
}
