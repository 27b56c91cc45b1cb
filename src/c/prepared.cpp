// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <utility>

#include "c/convert.hpp"
#include "c/error.hpp"
#include "c/handles.hpp"
#include "jitune/error.hpp"

using namespace jitune;
using namespace jitune::internal;

namespace {

std::string_view device_of(const char* device) {
    return device == nullptr ? std::string_view() : device;
}

jitune_prepared* new_prepared(decltype(jitune_prepared::call) call,
                              detail::ReduceShape::Kind shape = detail::ReduceShape::Kind::all) {
    return new jitune_prepared{std::move(call), shape};
}

}  // namespace

jitune_status jitune_prepare_reduction(jitune_session* session, const jitune_reduction* reduction,
                                       const char* device, jitune_prepared** prepared) {
    return guarded([&] {
        refuse_null(prepared, "jitune_prepare_reduction: prepared");
        const ReduceInput input("jitune_prepare_reduction", reduction);
        *prepared = new_prepared(
            detail::prepared_reduction(session_of(session), input.request(), device_of(device)),
            input.request().shape.kind);
    });
}

jitune_status jitune_prepare_stencil(jitune_session* session, const jitune_stencil* stencil,
                                     const char* device, jitune_prepared** prepared) {
    return guarded([&] {
        refuse_null(prepared, "jitune_prepare_stencil: prepared");
        *prepared = new_prepared(detail::prepared_stencil(
            session_of(session), stencil_request("jitune_prepare_stencil", stencil),
            device_of(device)));
    });
}

jitune_status jitune_prepare_entropy(jitune_session* session, const jitune_entropy* entropy,
                                     const char* device, jitune_prepared** prepared) {
    return guarded([&] {
        refuse_null(prepared, "jitune_prepare_entropy: prepared");
        *prepared = new_prepared(detail::prepared_entropy(
            session_of(session), entropy_request("jitune_prepare_entropy", entropy),
            device_of(device)));
    });
}

jitune_status jitune_kernel_prepare(const jitune_kernel* kernel, const jitune_size* sizes,
                                    size_t size_count, jitune_prepared** prepared) {
    return guarded([&] {
        refuse_null(kernel, "jitune_kernel_prepare: kernel");
        refuse_null(prepared, "jitune_kernel_prepare: prepared");
        *prepared = new_prepared(
            kernel->kernel.prepare(kernel_sizes("jitune_kernel_prepare", sizes, size_count)));
    });
}

jitune_status jitune_formula_prepare(const jitune_formula* formula,
                                     const jitune_formula_argument* inputs, size_t input_count,
                                     jitune_formula_shape shape,
                                     const jitune_formula_argument* outputs, size_t output_count,
                                     const char* device, jitune_prepared** prepared) {
    return guarded([&] {
        constexpr const char* kCall = "jitune_formula_prepare";
        refuse_null(formula, kCall, "formula");
        refuse_null(prepared, kCall, "prepared");
        *prepared = new_prepared(formula->formula.prepare(
            formula_arguments(kCall, "inputs", inputs, input_count), formula_shape(shape),
            formula_arguments(kCall, "outputs", outputs, output_count), device_of(device)));
    });
}

jitune_status jitune_launch(const jitune_prepared* prepared, const void* in, const int64_t* offsets,
                            void* out, jitune_stream stream) {
    return guarded([&] {
        refuse_null(prepared, "jitune_launch: prepared");
        refuse_unwanted_offsets("jitune_launch", prepared->shape, offsets);
        const auto* const call = std::get_if<detail::PreparedCall>(&prepared->call);
        if (call == nullptr) {
            throw Error(ErrorKind::usage,
                        "jitune_launch: the handle is of a kernel of your own or a formula: call "
                        "jitune_launch_kernel");
        }
        call->launch(in, offsets, out, stream);
    });
}

jitune_status jitune_launch_kernel(const jitune_prepared* prepared,
                                   const jitune_argument* arguments, size_t argument_count,
                                   jitune_stream stream) {
    return guarded([&] {
        refuse_null(prepared, "jitune_launch_kernel: prepared");
        const auto* const kernel = std::get_if<PreparedKernel>(&prepared->call);
        if (kernel == nullptr) {
            throw Error(ErrorKind::usage,
                        "jitune_launch_kernel: the handle is of a built-in kernel: call "
                        "jitune_launch");
        }
        (*kernel)(kernel_arguments("jitune_launch_kernel", arguments, argument_count), stream);
    });
}

jitune_status jitune_prepared_info(const jitune_prepared* prepared, jitune_dispatch_info* info) {
    return guarded([&] {
        refuse_null(prepared, "jitune_prepared_info: prepared");
        refuse_null(info, "jitune_prepared_info: info");
        const DispatchInfo* const answer =
            std::visit([](const auto& call) { return &call.info(); }, prepared->call);
        *info = {to_string(answer->origin),   answer->device.c_str(),
                 answer->device_name.c_str(), answer->configuration.c_str(),
                 answer->pending ? 1 : 0,     answer->waited.count(),
                 answer->kernel.c_str(),      answer->types.c_str()};
    });
}

void jitune_prepared_destroy(jitune_prepared* prepared) {
    delete prepared;
}
