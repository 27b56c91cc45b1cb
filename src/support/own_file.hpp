// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace jitune::internal {

/// The program or shared library that jitune is part of. Empty where the system does not tell.
std::filesystem::path own_file();

/// Whether a path names something that another user than this one and root has made, or may change.
bool is_foreign(const std::filesystem::path& named);

}  // namespace jitune::internal
