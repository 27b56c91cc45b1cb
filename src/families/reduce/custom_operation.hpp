// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jitune/reduction.hpp"

namespace jitune::internal {

/// Throws Error(usage) that names the invalid field and the values it may have.
void refuse_bad_operation(const CustomOperation& operation);

/// The text of jitune_custom.h for the operation. Compilers name a faulty field as the file:
/// "log_sum_exp.combine".
std::string custom_header(const CustomOperation& operation);

/// The same as text for behind jitune_operations.h: the class template jitune::Custom`suffix` and
/// what it needs. Several of them, with suffixes of their own, may stand in one file.
std::string custom_source(const CustomOperation& operation, std::string_view suffix);

/// The fields of an operation as text, to send it to another process.
std::vector<std::string> fields_of(const CustomOperation& operation);

/// The operation with these fields. Throws Error(usage) for malformed fields.
CustomOperation custom_operation_of(std::span<const std::string> fields);

/// A hash of the operation, for use within one process. Cheap enough for every call.
std::uint64_t fingerprint(const CustomOperation& operation);

}  // namespace jitune::internal
