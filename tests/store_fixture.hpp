#pragma once

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jitune/error.hpp"
#include "support/log.hpp"
#include "support/temp_dir.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune {

inline RecordKey key_of(std::int64_t bucket) {
    return {"reduce", "element=float32 operation=sum",    bucket,
            16,       "0123456789abcdef0123456789abcdef", "cuda cc=90 sm=132"};
}

inline Winner winner_of(std::int64_t bucket, double median_ns = 1234.5) {
    return {key_of(bucket),
            "n=1048576",
            "block=256 items_per_thread=8",
            median_ns,
            0.0125,
            2000,
            true,
            "cubin",
            std::string("\x7f"
                        "ELF\0image",
                        10) +
                std::string(3000, static_cast<char>('a' + bucket % 26)),
            {"jitune::reduce<256, 8>", "jitune::finish<256>"},
            {"NVIDIA H200", "GPU-1", "CUDA 13.0", "NVRTC 13.0", "2026-11-20T16:00:00Z"}};
}

inline Measurement measurement_of(std::int64_t bucket, double first_ns = 1000.25) {
    return {key_of(bucket),
            "n=1048576",
            "block=128 items_per_thread=4",
            Verdict::timed,
            "",
            "l2=cold chain=32",
            {first_ns, 1001.5, 999.75},
            {"NVIDIA H200", "GPU-1", "CUDA 13.0", "NVRTC 13.0", "2026-11-20T16:00:00Z"}};
}

/// The kind of the Error that `call` throws, or nothing.
template <class Call>
std::optional<ErrorKind> error_kind(Call call) {
    try {
        call();
        return std::nullopt;
    } catch (const Error& error) {
        return error.kind();
    }
}

/// The message of the Error(store) that `call` throws, or "".
template <class Call>
std::string store_error(Call call) {
    try {
        call();
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::store);
        return error.what();
    }
}

/// A database file in a directory of its own, which a test opens, damages and looks into.
class StoreFixture : public testing::Test {
protected:
    using Access = TuningStore::Access;

    std::unique_ptr<TuningStore> open(Access access = Access::read_write) {
        return TuningStore::open(path_, access, log_);
    }

    /// The message with which opening is refused, or "".
    std::string refusal(Access access = Access::read_write) {
        return store_error([&] { open(access); });
    }

    /// Runs SQL on the file as some other program would.
    void sql(const std::string& text) {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
        const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
        std::filesystem::permissions(path_, std::filesystem::perms(0600));
        EXPECT_EQ(sqlite3_exec(raw, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(raw);
    }

    [[nodiscard]] std::string bytes() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// Makes the file again, with these bytes.
    void write(const std::string& bytes) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
        std::filesystem::permissions(path_, std::filesystem::perms(0600));
    }

    [[nodiscard]] std::string file_next_to_it(const std::string& suffix) const {
        return path_.native() + suffix;
    }

    TempDir dir_;
    std::filesystem::path path_ = dir_.path() / "tuning.db";
    std::vector<std::string> warnings_;
    Log log_{LogLevel::warning,
             [this](LogLevel, std::string_view line) { warnings_.emplace_back(line); }};
};

/// Runs `body` in a child process; true if it returned. A failed EXPECT in it counts as failed.
class Child {
public:
    template <class Body>
    explicit Child(Body body) : pid_(fork()) {
        if (pid_ == 0) {
            try {
                body();
                _exit(testing::Test::HasFailure() ? 1 : 0);
            } catch (const std::exception& error) {
                fprintf(stderr, "child: %s\n", error.what());
                _exit(2);
            }
        }
    }

    void kill() const { ::kill(pid_, SIGKILL); }

    /// What waitpid says: 0 if all went well.
    [[nodiscard]] int wait() const {
        int status = -1;
        waitpid(pid_, &status, 0);
        return status;
    }

private:
    pid_t pid_;
};

}  // namespace jitune
