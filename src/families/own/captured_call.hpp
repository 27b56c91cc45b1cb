// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "jitune/element_type.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// One real call of a kernel in a folder: capture.toml, a file for each array as the call found it,
/// and one for each output. A file is named as a Fill names it: "in_a.npy", or "raw in_a.bin" for
/// the types that NumPy does not have.
struct CapturedCall {
    std::filesystem::path folder;
    std::string kernel;
    Problem problem;
    std::map<std::string, std::string> inputs;    ///< of arrays that are read
    std::map<std::string, std::string> outputs;   ///< of arrays that are written
    std::map<std::string, std::uint64_t> values;  ///< by argument: the bits of scalars
};

/// The name of the file that makes a folder a capture.
inline constexpr const char* kCaptureFile = "capture.toml";

/// Throws Error(usage): no capture, another kernel than the template's, a type, size or argument
/// that is missing.
CapturedCall read_capture(const std::filesystem::path& folder, const KernelTemplate& kernel);

/// Writes a capture argument by argument into a folder that is new or empty. It is one once
/// finish() has written capture.toml.
class CaptureWriter {
public:
    /// Throws Error(usage) if the folder has files, or cannot be made.
    CaptureWriter(std::filesystem::path folder, const KernelTemplate& kernel,
                  const Problem& problem);

    void add_value(const std::string& name, ElementType type, std::uint64_t bits);
    void add_input(const std::string& name, ElementType type, std::span<const std::byte> data);
    void add_output(const std::string& name, ElementType type, std::span<const std::byte> data);
    void finish();

private:
    std::string write_array(const std::string& name, ElementType type,
                            std::span<const std::byte> data) const;

    std::filesystem::path folder_;
    std::string head_, inputs_, outputs_, values_;
};

}  // namespace jitune::internal
