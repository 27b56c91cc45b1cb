// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1_arguments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/toml_text.hpp"
#include "jitune/error.hpp"
#include "template/name_rules.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

struct T1Type {
    std::string_view t1, type;
    int lanes = 1;  ///< elements of a CUDA vector type
};
constexpr std::array kT1Types{
    T1Type{"bool", "uint8"},         T1Type{"int8", "int8"},
    T1Type{"uint8", "uint8"},        T1Type{"int16", "int16"},
    T1Type{"uint16", "uint16"},      T1Type{"int", "int32"},
    T1Type{"uint", "uint32"},        T1Type{"int32", "int32"},
    T1Type{"uint32", "uint32"},      T1Type{"int64", "int64"},
    T1Type{"uint64", "uint64"},      T1Type{"half", "float16"},
    T1Type{"half2", "float16", 2},   T1Type{"bfloat16", "bfloat16"},
    T1Type{"float", "float32"},      T1Type{"float32", "float32"},
    T1Type{"float2", "float32", 2},  T1Type{"float4", "float32", 4},
    T1Type{"double", "float64"},     T1Type{"float64", "float64"},
    T1Type{"double2", "float64", 2}, T1Type{"double4", "float64", 4},
};

struct T1Access {
    std::string_view t1, access;
};
constexpr std::array kT1Accesses{
    T1Access{"ReadOnly", "in"},
    T1Access{"WriteOnly", "out"},
    T1Access{"ReadWrite", "inout"},
};

template <class Rows>
auto row_of(const Rows& rows, std::string_view word) {
    return std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.t1 == word; });
}

/// The value of a flag, which some files write as 0 or 1.
bool is_set(const ParsedJson& value) {
    return value.is_boolean() ? value.get<bool>() : value.is_number() && value.get<double>() != 0;
}

/// Translates one argument.
class T1Argument {
public:
    T1Argument(const ParsedJson& json, std::string name, const T1Scope& scope,
               const std::filesystem::path& folder, std::vector<std::string>& notes)
        : json_(json), name_(std::move(name)), scope_(scope), folder_(folder), notes_(notes) {}

    /// The line of the table.
    std::string line() {
        if (!is_identifier(name_)) {
            throw Error(
                ErrorKind::usage,
                fmt::format("Arguments: Name \"{}\" is no name of letters, digits and _", name_));
        }
        read_type();
        const std::string memory = text_member(json_, "MemoryType");
        if (memory == "Scalar") {
            return scalar();
        }
        if (memory == "Local") {
            refuse("MemoryType Local",
                   "a kernel in CUDA takes no shared memory as an argument: use SharedMemory");
        }
        if (memory != "Vector" && memory != "Symbol") {
            refuse("MemoryType " + memory, "jitune takes Scalar, Vector and Symbol");
        }
        is_symbol_ = memory == "Symbol";
        return vector();
    }
    [[nodiscard]] bool is_written() const { return is_written_; }
    /// Whether the kernel has it among its arguments.
    [[nodiscard]] bool is_passed() const { return !is_symbol_; }

private:
    [[noreturn]] void refuse(const std::string& member, const std::string& reason) const {
        throw Error(ErrorKind::usage,
                    fmt::format("argument {}: {} is not supported: {}", name_, member, reason));
    }

    [[nodiscard]] std::string path(const char* member) const {
        return fmt::format("argument {}: {}", name_, member);
    }

    void read_type() {
        const std::string word = text_member(json_, "Type");
        const auto* const row = row_of(kT1Types, word);
        if (row == kT1Types.end()) {
            refuse(fmt::format("Type \"{}\"", word),
                   word == "custom" ? "jitune fills arrays of numbers, not of structs"
                                    : "neither jitune nor CUDA has it");
        }
        type_ = *row;
        const std::int64_t bytes = *type_bytes(type_.type) * type_.lanes;
        if (find_member(json_, "TypeSize") != nullptr &&
            integer_member(json_, "TypeSize") != bytes) {
            refuse(fmt::format("TypeSize {}", integer_member(json_, "TypeSize")),
                   fmt::format("{} has {} bytes", word, bytes));
        }
    }

    /// FillValue as a template writes it.
    [[nodiscard]] std::string fill_value() const {
        const ParsedJson* const given = find_member(json_, "FillValue");
        if (given == nullptr || given->is_null()) {
            return "0";
        }
        const PythonValue value = scope_.number(*given, path("FillValue"));
        if (const bool* const truth = value.truth()) {
            return *truth ? "1" : "0";
        }
        if (value.integer() != nullptr) {
            return std::to_string(*value.integer());
        }
        if (!std::isfinite(*value.real())) {
            throw Error(ErrorKind::usage, fmt::format("{} must be a finite number, not {}",
                                                      path("FillValue"), *value.real()));
        }
        return fmt::format("{}", *value.real());
    }

    [[nodiscard]] std::string scalar() const {
        if (type_.lanes > 1) {
            refuse(fmt::format("Type \"{}\" of a scalar", type_.t1),
                   "jitune passes single numbers by value");
        }
        const std::string access = text_member_or(json_, "AccessType", "ReadOnly");
        if (access != "ReadOnly") {
            refuse("AccessType " + access + " of a scalar", "a kernel cannot change it");
        }
        return fmt::format("{} = {{ access = \"value\", type = \"{}\", value = \"{}\" }}\n", name_,
                           type_.type, fill_value());
    }

    /// Whether it fills a __constant__ variable of its name: KTT's Symbol, or an argument that
    /// Kernel Tuner passes beside.
    [[nodiscard]] bool is_constant() const {
        const std::string memory = text_member_or(json_, "MemType", "Global");
        if (memory != "Constant" && memory != "Global") {
            refuse("MemType " + memory, "jitune takes Constant and Global");
        }
        const bool result = is_symbol_ || memory == "Constant";
        if (result && is_written_) {
            refuse("constant memory that is not ReadOnly", "a kernel cannot change it");
        }
        return result;
    }

    std::string vector() {
        const std::string access =
            text_member_or(json_, "AccessType", is_symbol_ ? "ReadOnly" : "ReadWrite");
        const auto* const row = row_of(kT1Accesses, access);
        if (row == kT1Accesses.end()) {
            refuse("AccessType " + access, "jitune takes ReadOnly, WriteOnly and ReadWrite");
        }
        is_written_ = row->access != "in";
        check_output();
        const std::int64_t size = scope_.count(member(json_, "Size"), path("Size"));
        std::int64_t count = 0;
        if (__builtin_mul_overflow(size, std::int64_t{type_.lanes}, &count)) {
            refuse(fmt::format("Size {}", size), "it has more than 63 bits");
        }
        std::string line = fmt::format("{} = {{ access = \"{}\", type = \"{}\", count = \"{}\"",
                                       name_, row->access, type_.type, count);
        if (row->access != "out") {  // of the others no content is read
            line += fmt::format(", fill = {}", toml_text(fill()));
        }
        if (type_.lanes > 1) {
            line += fmt::format(", alignment = {}", *type_bytes(type_.type) * type_.lanes);
        }
        if (is_constant()) {
            line += fmt::format(", constant = \"{}\"", name_);
        }
        return line + " }\n";
    }

    /// Kernel Tuner's mark of an argument whose results are checked.
    void check_output() const {
        const ParsedJson* const output = find_member(json_, "Output");
        if (output == nullptr || output->is_null()) {
            return;
        }
        if (is_set(*output) && !is_written_) {
            refuse("Output of an argument that is ReadOnly", "declare it WriteOnly or ReadWrite");
        }
        if (!is_set(*output) && is_written_) {
            notes_.push_back(fmt::format(
                "argument {}: Output is not used: jitune checks each argument that is written",
                name_));
        }
    }

    std::string fill() {
        const std::string fill = text_member_or(json_, "FillType", "Random");
        if (fill == "Constant") {
            return constant_fill();
        }
        if (fill == "Random") {
            return random_fill();
        }
        if (fill == "BinaryRaw") {
            return "raw " + data_file();
        }
        refuse("FillType " + fill, "jitune takes Constant, Random and BinaryRaw");
    }

    /// A template would take what stands in braces for a name.
    [[nodiscard]] std::string data_file() const {
        const std::filesystem::path file = text_member(json_, "DataSource");
        std::string named = (file.is_absolute() ? file : folder_ / file).string();
        if (named.find_first_of("{}") != std::string::npos) {
            refuse(fmt::format("DataSource \"{}\"", named),
                   "it has braces; give file and folders a name without them");
        }
        return named;
    }

    [[nodiscard]] std::string constant_fill() const {
        const std::string value = fill_value();
        return value == "0" ? "zeros" : value == "1" ? "ones" : "constant " + value;
    }

    /// FillValue is the upper bound, as KTT has it.
    std::string random_fill() {
        const ParsedJson* const given = find_member(json_, "FillValue");
        const std::string value = fill_value();
        if (given == nullptr || given->is_null()) {
            return "random";
        }
        if (value == "0" || value.front() == '-') {
            notes_.push_back(fmt::format(
                "argument {}: FillValue is not used: random data need an upper bound above 0",
                name_));
            return "random";
        }
        return "random 0.." + value;
    }

    const ParsedJson& json_;
    std::string name_;
    const T1Scope& scope_;
    const std::filesystem::path& folder_;
    std::vector<std::string>& notes_;
    T1Type type_{};
    bool is_written_ = false;
    bool is_symbol_ = false;
};

}  // namespace

T1Arguments t1_arguments(const ParsedJson& kernel, const T1Scope& scope,
                         const std::filesystem::path& folder, std::vector<std::string>& notes) {
    T1Arguments result;
    bool is_any_written = false;
    std::size_t number = 0;
    if (find_member(kernel, "Arguments") != nullptr) {
        for (const ParsedJson& json : list_member(kernel, "Arguments")) {
            const std::string name =
                text_member_or(json, "Name", fmt::format("argument_{}", number++));
            T1Argument argument(json, name, scope, folder, notes);
            result.table += argument.line();
            if (argument.is_passed()) {
                result.order.push_back(name);
            }
            is_any_written = is_any_written || argument.is_written();
        }
    }
    if (!is_any_written) {
        throw Error(ErrorKind::usage,
                    "Arguments has none that is WriteOnly or ReadWrite: jitune checks the results "
                    "of each candidate, so name the kernel's arguments");
    }
    return result;
}

}  // namespace jitune::internal
