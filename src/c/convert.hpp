// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "jitune/entropy.hpp"
#include "jitune/jitune.h"
#include "jitune/map_reduce.hpp"
#include "jitune/reduce.hpp"
#include "jitune/stencil.hpp"
#include "jitune/tuned_kernel.hpp"

namespace jitune::internal {

// Converts the structs of jitune/jitune.h to the types of C++. All throw Error(usage) for a null
// pointer and for a value outside of its enumeration. `call` names the C function in messages.

/// A request, and the operation that it refers to.
class ReduceInput {
public:
    ReduceInput(const char* call, const jitune_reduction* reduction);
    ReduceInput(const ReduceInput&) = delete;
    ReduceInput& operator=(const ReduceInput&) = delete;

    [[nodiscard]] const detail::ReduceRequest& request() const { return request_; }

private:
    std::optional<CustomOperation> custom_;
    detail::ReduceRequest request_;
};

/// Throws Error(usage) for offsets of another shape than segments: no kernel would take them.
void refuse_unwanted_offsets(const char* call, detail::ReduceShape::Kind kind,
                             const int64_t* offsets);

std::vector<CustomOperation> custom_operations(const char* call,
                                               const jitune_custom_operation* operations,
                                               std::size_t count);

/// Refers to the weights of the caller.
detail::StencilRequest stencil_request(const char* call, const jitune_stencil* stencil);

detail::EntropyRequest entropy_request(const char* call, const jitune_entropy* entropy);

/// Refers to the names of the caller.
std::vector<KernelSize> kernel_sizes(const char* call, const jitune_size* sizes, std::size_t count);

std::vector<KernelArgument> kernel_arguments(const char* call, const jitune_argument* arguments,
                                             std::size_t count);

/// `what` names the group in messages: inputs, outputs. Refers to the names of the caller.
std::vector<FormulaArgument> formula_arguments(const char* call, const char* what,
                                               const jitune_formula_argument* arguments,
                                               std::size_t count);

FormulaShape formula_shape(const jitune_formula_shape& shape);

}  // namespace jitune::internal
