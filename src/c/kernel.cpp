// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "c/convert.hpp"
#include "c/error.hpp"
#include "c/handles.hpp"
#include "jitune/error.hpp"

using namespace jitune;
using namespace jitune::internal;

jitune_status jitune_kernel_create(jitune_session* session, const char* file,
                                   const jitune_kernel_type* types, size_t type_count,
                                   jitune_kernel** kernel) {
    return guarded([&] {
        refuse_null(file, "jitune_kernel_create: file");
        refuse_null(kernel, "jitune_kernel_create: kernel");
        std::map<std::string, std::string> selected;
        for (size_t i = 0; i < type_count; ++i) {
            refuse_null(types, "jitune_kernel_create: types");
            refuse_null(types[i].parameter, "jitune_kernel_type.parameter");
            refuse_null(types[i].type, "jitune_kernel_type.type");
            if (!selected.emplace(types[i].parameter, types[i].type).second) {
                throw Error(ErrorKind::usage,
                            fmt::format("jitune_kernel_create: type parameter {} is given twice",
                                        types[i].parameter));
            }
        }
        *kernel = new jitune_kernel{TunedKernel(file, selected, session_of(session))};
    });
}

void jitune_kernel_destroy(jitune_kernel* kernel) {
    delete kernel;
}

jitune_status jitune_kernel_parameters(const jitune_kernel* kernel, const jitune_size* sizes,
                                       size_t size_count, jitune_parameter* parameters,
                                       size_t capacity, size_t* count) {
    return guarded([&] {
        constexpr const char* kCall = "jitune_kernel_parameters";
        refuse_null(kernel, kCall, "kernel");
        refuse_null(count, kCall, "count");
        if (capacity > 0) {
            refuse_null(parameters, kCall, "parameters");
        }
        const auto found =
            kernel->kernel.parameters(KernelSizes(kernel_sizes(kCall, sizes, size_count)));
        for (std::size_t i = 0; i < std::min(found.size(), capacity); ++i) {
            parameters[i] = {static_cast<jitune_type>(found[i].type), found[i].is_value ? 1 : 0,
                             found[i].is_written ? 1 : 0, found[i].count};
        }
        *count = found.size();
    });
}

int jitune_kernel_is_host(const jitune_kernel* kernel) {
    return kernel != nullptr && kernel->kernel.is_host() ? 1 : 0;
}

jitune_status jitune_kernel_launch(const jitune_kernel* kernel, const jitune_size* sizes,
                                   size_t size_count, const jitune_argument* arguments,
                                   size_t argument_count, jitune_stream stream) {
    return guarded([&] {
        constexpr const char* kCall = "jitune_kernel_launch";
        refuse_null(kernel, "jitune_kernel_launch: kernel");
        kernel->kernel.launch(KernelSizes(kernel_sizes(kCall, sizes, size_count)),
                              KernelArguments(kernel_arguments(kCall, arguments, argument_count)),
                              stream);
    });
}
