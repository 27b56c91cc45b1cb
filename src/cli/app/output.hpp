// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/formats/json.hpp"

namespace jitune::internal {

/// Thrown if the reader has closed standard output: the process ends silently.
struct OutputClosed {};

/// Writes to standard output and flushes. Throws OutputClosed if the reader has closed it (with
/// SIGPIPE caught), and Error(usage) for any other failure.
void print(std::string_view text);

/// Writes to standard error; failures are ignored.
void print_error(std::string_view text);

/// Prints a document, indented by two.
void print_json(const Json& document);

/// Prints one of the two: the document if `json` is set, else the text.
void print_either(bool json, const Json& document, std::string_view text);

/// The present width of a terminal, at least 1; if it does not tell, COLUMNS of the environment,
/// else 80.
std::size_t terminal_columns(int terminal);

/// The columns of standard output, into which tables fit.
std::size_t output_columns();

/// Throws Error(usage) if the argument of `option` is the file `input` by any name. The input is
/// mapped while the output is written.
void refuse_overwriting(const std::filesystem::path& input, const char* option,
                        const std::string& output);

/// The same for the database `path`, also if `output` is a journal that SQLite keeps beside it,
/// whether that is there or not.
void refuse_overwriting_database(const std::filesystem::path& path, const char* option,
                                 const std::string& output);

}  // namespace jitune::internal
