// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace jitune::internal {

/// Throws Error(device) unless `image` is what `format` says: "cubin" a 64-bit ELF file for CUDA,
/// "ptx" a text that ends with its NUL. The driver reads past the end of less than that.
void check_image(const std::string& format, const std::string& image);

}  // namespace jitune::internal
