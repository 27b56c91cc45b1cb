// SPDX-License-Identifier: Apache-2.0
#include "sweep/timed_reduce.hpp"

#include <cstring>

#include "families/reduce/reduce_call.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "sweep/timed_case.hpp"

namespace jitune::internal {

TimedReduction timed_reduce(Engine& engine, Device& device, const detail::ReduceRequest& request,
                            const void* values) {
    refuse_bad_shape(request.shape);
    const Resolved& resolved = resolve_reduce(engine, device, request);
    const auto elements = static_cast<std::size_t>(request.shape.inner);
    const Problem problem = reduce_problem(request);
    Case one;
    one.sizes = problem.sizes;
    one.arguments = {input_of(values, elements * bytes_of(request.element)),
                     CaseArgument::output(bytes_of(request.result))};
    const TimedCase timed = time_case(
        engine, {device, reduce_kernel(request.shape.kind, device.info().platform), problem},
        resolved, std::move(one));
    TimedReduction result{};
    std::memcpy(result.value, timed.output.data(), timed.output.size());
    result.info = resolved.info;
    result.seconds = timed.seconds;
    return result;
}

}  // namespace jitune::internal
