// SPDX-License-Identifier: Apache-2.0
#include "support/temp_dir.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

bool stays_inside(const std::filesystem::path& path) {
    return !path.empty() && path.is_relative() && path.native().find('\0') == std::string::npos &&
           std::find(path.begin(), path.end(), "..") == path.end();
}

}  // namespace

TempDir::TempDir() {
    std::error_code error;
    const auto base = std::filesystem::temp_directory_path(error);
    if (error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot find the temporary folder: {}; set TMPDIR to a folder that "
                                "exists",
                                error.message()),
                    {NativeCode::Source::system, error.value()});
    }
    std::string name = (base / "jitune-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        const int code = errno;
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot make a temporary folder: mkdtemp {}: {}; set TMPDIR to a "
                                "writable folder",
                                name, std::system_category().message(code)),
                    {NativeCode::Source::system, code});
    }
    path_ = name;
}

TempDir::~TempDir() {
    std::error_code ignored;  // a file that stays behind does no harm
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempDir::write(std::string_view name, std::string_view text) const {
    const std::filesystem::path relative(name);
    if (!stays_inside(relative)) {
        throw Error(ErrorKind::usage,
                    fmt::format("file name \"{}\": use a relative name without \"..\"", name));
    }
    const auto path = path_ / relative;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot write {}; is the disk full?", path.string()));
    }
    return path;
}

}  // namespace jitune::internal
