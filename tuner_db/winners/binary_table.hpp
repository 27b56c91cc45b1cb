// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner_db/file/fields.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

/// Compiled code that belongs to no winner. Identified by the hash of its template, the device
/// class, the instance and the compiler.
struct KeptBinary {
    static constexpr const char* kTable = "binary";

    std::string kernel;         ///< for people, as in RecordKey
    std::string types;          ///< for people
    std::string configuration;  ///< for people
    std::string template_hash;
    std::string device_class;
    std::string instance;  ///< 32 hexadecimal digits over what is compiled of the template
    std::string compiler;  ///< Device::compiler_key()
    std::string image_format;
    std::vector<std::string> symbols;
    std::string used_at;  ///< UTC, "2026-11-20T16:00:00Z"; early by up to a day
    std::string image;    ///< the last column: others are read without it then

    bool operator==(const KeptBinary&) const = default;
};

template <MaybeConst<KeptBinary> Record>
void fields(const auto& visit, Record& binary) {
    visit({"kernel"}, binary.kernel);
    visit({"types"}, binary.types);
    visit({"configuration"}, binary.configuration);
    visit({"template_hash"}, binary.template_hash);
    visit({"device_class"}, binary.device_class);
    visit({"instance"}, binary.instance);
    visit({"compiler"}, binary.compiler);
    visit({"image_format"}, binary.image_format);
    visit({"symbols"}, binary.symbols);
    visit({"used_at"}, binary.used_at);
    visit({.name = "image", .binary = true}, binary.image);
}

/// The table `binary`: compiled code up to a number of rows and of bytes. If it is full, the rows
/// go that were not used for the longest time.
class BinaryTable {
public:
    struct Limits {
        std::int64_t rows = 1000;
        std::int64_t bytes = std::int64_t{64} << 20;  ///< of all images
    };

    explicit BinaryTable(const sqlite::Connection& connection)
        : BinaryTable(connection, Limits{}) {}
    BinaryTable(const sqlite::Connection& connection, Limits limits);

    /// The rows of the same template, device class and instance as `wanted`, used last first.
    Rows<KeptBinary> find(const KeptBinary& wanted);

    /// Adds code, or replaces it. Leaves out an image of more than a quarter of the limit. Call it
    /// in a write transaction.
    void put(std::span<const KeptBinary> binaries);

private:
    const Limits limits_;
    sqlite::Statement find_, put_, shrink_;
};

}  // namespace jitune::internal
