// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

/// Text files that the build puts into the library.
namespace jitune::internal::embedded {

struct File {
    std::string_view name;  ///< relative to its folder: "reduce.cu", "include/operations.cuh"
    std::string_view text;
    std::string_view sha256;  ///< of the text: 64 hexadecimal digits
};

/// Everything under kernel_templates/.
extern const std::span<const File> kernel_templates;

/// tuner_db/file/schema_<version>.sql, in the order of versions.
extern const std::span<const File> schema;

/// The kernels that the cuda backend itself runs.
extern const std::span<const File> cuda_kernels;

/// Those of them that need no compiler.
extern const std::span<const File> cuda_ptx;

/// The style sheet and the script of reports.
extern const std::span<const File> report_assets;

}  // namespace jitune::internal::embedded
