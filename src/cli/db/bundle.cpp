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
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::int64_t kMostUnpacked = std::int64_t{64} << 30;

struct GzipCloser {
    void operator()(gzFile file) const { gzclose(file); }
};
using Gzip = std::unique_ptr<gzFile_s, GzipCloser>;

struct Beginning {
    std::string bytes;  ///< unpacked if they are packed
    bool is_packed = false;
};

/// The first bytes; none of what is not a regular file.
Beginning beginning_of(const std::filesystem::path& path) {
    std::error_code error;
    const Gzip file(std::filesystem::is_regular_file(path, error) ? gzopen(path.c_str(), "rb")
                                                                  : nullptr);
    if (!file) {
        return {};
    }
    std::string bytes(kDatabaseMark.size(), '\0');
    const int read = gzread(file.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max(read, 0)));
    return {std::move(bytes), gzdirect(file.get()) == 0};
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
    if (const Beginning first = beginning_of(path); first.is_packed) {
        if (first.bytes != kDatabaseMark) {
            fail(ErrorKind::store, path, "read the bundle", "it does not hold a database");
        }
        unpacked_ = std::make_unique<TempDir>();
        database = unpacked_->path() / path.filename();
        unpack(path, database);
    }
    store_ = TuningStore::open_other(database, log);
}

bool is_database_file(const std::filesystem::path& path) {
    return beginning_of(path).bytes == kDatabaseMark;
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
