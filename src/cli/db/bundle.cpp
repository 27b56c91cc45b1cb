// SPDX-License-Identifier: Apache-2.0
#include "cli/db/bundle.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kDatabaseMark("SQLite format 3\0", 16);
constexpr std::string_view kGzipMark("\x1f\x8b", 2);
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::int64_t kMostUnpacked = std::int64_t{64} << 30;

struct GzipCloser {
    void operator()(gzFile file) const { gzclose(file); }
};
using Gzip = std::unique_ptr<gzFile_s, GzipCloser>;

/// The first bytes, unpacked if they are packed; none of what is not a regular file.
std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
    std::error_code error;
    const Gzip file(std::filesystem::is_regular_file(path, error) ? gzopen(path.c_str(), "rb")
                                                                  : nullptr);
    std::string bytes(count, '\0');
    const int read =
        file ? gzread(file.get(), bytes.data(), static_cast<unsigned>(bytes.size())) : 0;
    bytes.resize(static_cast<std::size_t>(std::max(read, 0)));
    return bytes;
}

bool is_packed(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return false;
    }
    std::string mark(kGzipMark.size(), '\0');
    std::ifstream(path, std::ios::binary)
        .read(mark.data(), static_cast<std::streamsize>(mark.size()));
    return mark == kGzipMark;
}

[[noreturn]] void fail(ErrorKind kind, const std::filesystem::path& path, const char* tried,
                       const std::string& why) {
    throw Error(kind, fmt::format("cannot {} {}: {}", tried, path.string(), why));
}

void unpack(const std::filesystem::path& from, const std::filesystem::path& into) {
    const Gzip file(gzopen(from.c_str(), "rb"));
    std::ofstream out(into, std::ios::binary);
    if (!file || !out) {
        fail(ErrorKind::store, from, "unpack the bundle", std::strerror(errno));
    }
    std::string block(kBlock, '\0');
    std::int64_t total = 0;
    for (;;) {
        const int count = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()));
        int code = Z_OK;
        const char* const message = gzerror(file.get(), &code);
        if (count < 0 || code == Z_BUF_ERROR) {
            fail(ErrorKind::store, from, "unpack the bundle",
                 code == Z_ERRNO ? std::strerror(errno) : message);
        }
        total += count;
        if (total > kMostUnpacked) {
            fail(ErrorKind::store, from, "unpack the bundle", "it holds more than 64 GiB");
        }
        if (!out.write(block.data(), count).flush()) {
            fail(ErrorKind::store, into, "write", std::strerror(errno));
        }
        if (count == 0) {
            return;
        }
    }
}

void pack(std::ifstream& in, const std::filesystem::path& into) {
    Gzip file(gzopen(into.c_str(), "wb"));
    std::string block(kBlock, '\0');
    bool good = file != nullptr;
    while (good && in.read(block.data(), static_cast<std::streamsize>(block.size())).gcount() > 0) {
        good = gzwrite(file.get(), block.data(), static_cast<unsigned>(in.gcount())) == in.gcount();
    }
    if (!good || gzclose(file.release()) != Z_OK) {
        fail(ErrorKind::usage, into, "write", std::strerror(errno));
    }
}

}  // namespace

OtherDatabase::OtherDatabase(const std::filesystem::path& path, const Log& log) {
    std::filesystem::path database = path;
    if (is_packed(path)) {
        if (!is_database_file(path)) {
            fail(ErrorKind::store, path, "read the bundle", "it does not hold a database");
        }
        unpacked_ = std::make_unique<TempDir>();
        database = unpacked_->path() / path.filename();
        unpack(path, database);
    }
    store_ = TuningStore::open_other(database, log);
}

bool is_database_file(const std::filesystem::path& path) {
    return first_bytes(path, kDatabaseMark.size()) == kDatabaseMark;
}

void write_bundle(const std::filesystem::path& from, const std::filesystem::path& path) {
    const std::filesystem::path draft = fmt::format("{}.{}.part", path.string(), ::getpid());
    try {
        if (path.extension() == ".gz") {
            std::ifstream in(from, std::ios::binary);
            pack(in, draft);
        } else {
            std::filesystem::copy_file(from, draft);
        }
        std::filesystem::permissions(draft, std::filesystem::perms(0600));  // it holds code
        std::filesystem::rename(draft, path);
    } catch (const std::filesystem::filesystem_error& error) {
        std::error_code ignored;
        std::filesystem::remove(draft, ignored);
        fail(ErrorKind::usage, path, "write", error.code().message());
    } catch (const Error&) {
        std::error_code ignored;
        std::filesystem::remove(draft, ignored);
        throw;
    }
}

}  // namespace jitune::internal
