// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jitune/reduction.hpp"

namespace jitune::internal {

/// Throws Error(usage) that names the invalid field and the values it may have.
void refuse_bad_operation(const CustomOperation& operation);

/// The text of jitune_custom.h for the operation. Compilers name a faulty field as the file:
/// "log_sum_exp.combine".
std::string custom_header(const CustomOperation& operation);

/// The fields of an operation as text, to send it to another process.
std::vector<std::string> fields_of(const CustomOperation& operation);

/// The operation with these fields. Throws Error(usage) for malformed fields.
CustomOperation custom_operation_of(std::span<const std::string> fields);

/// A hash of the operation, for use within one process. Cheap enough for every call.
std::uint64_t fingerprint(const CustomOperation& operation);

}  // namespace jitune::internal
