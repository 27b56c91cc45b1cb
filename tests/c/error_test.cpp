// SPDX-License-Identifier: Apache-2.0
#include "c/error.hpp"

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

TEST(CError, GivesEachKindItsStatus) {
    const auto status_of = [](ErrorKind kind) { return guarded([&] { throw Error(kind, "no"); }); };
    EXPECT_EQ(status_of(ErrorKind::usage), JITUNE_ERROR_USAGE);
    EXPECT_EQ(status_of(ErrorKind::unavailable), JITUNE_ERROR_UNAVAILABLE);
    EXPECT_EQ(status_of(ErrorKind::compile), JITUNE_ERROR_COMPILE);
    EXPECT_EQ(status_of(ErrorKind::device), JITUNE_ERROR_DEVICE);
    EXPECT_EQ(status_of(ErrorKind::verify), JITUNE_ERROR_VERIFY);
    EXPECT_EQ(status_of(ErrorKind::store), JITUNE_ERROR_STORE);
    EXPECT_EQ(status_of(ErrorKind::not_prepared), JITUNE_ERROR_NOT_PREPARED);
    EXPECT_EQ(status_of(ErrorKind::forked), JITUNE_ERROR_FORKED);
}

TEST(CError, LetsNoExceptionOut) {
    EXPECT_EQ(guarded([] { throw std::bad_alloc(); }), JITUNE_ERROR_UNAVAILABLE);
    EXPECT_STREQ(jitune_last_message(), "not enough memory");
    EXPECT_EQ(guarded([] { throw std::logic_error("odd"); }), JITUNE_ERROR_INTERNAL);
    EXPECT_STREQ(jitune_last_message(), "odd");
    EXPECT_EQ(guarded([] { throw 7; }), JITUNE_ERROR_INTERNAL);
    EXPECT_EQ(guarded([] {}), JITUNE_OK);
}

TEST(CError, KeepsTheLastFailureOfEachThread) {
    guarded([] {
        throw Error(ErrorKind::device, "cuLaunchKernel: 700", {NativeCode::Source::cuda, 700});
    });
    guarded([] {});
    EXPECT_STREQ(jitune_last_message(), "cuLaunchKernel: 700") << "success changes nothing";
    EXPECT_EQ(jitune_last_native_code().source, JITUNE_NATIVE_CUDA);
    EXPECT_EQ(jitune_last_native_code().value, 700);
    std::thread([] {
        EXPECT_STREQ(jitune_last_message(), "");
        guarded([] { throw Error(ErrorKind::usage, "other"); });
        EXPECT_EQ(jitune_last_native_code().source, JITUNE_NATIVE_NONE);
    }).join();
    EXPECT_STREQ(jitune_last_message(), "cuLaunchKernel: 700");
}

/// Fails where everything else of the thread is gone.
struct FailsAtTheEnd {
    ~FailsAtTheEnd() {
        before = jitune_last_message();
        status = guarded([] { throw Error(ErrorKind::usage, std::string(500, 'x')); });
        after = jitune_last_message();
    }
    void touch() const {}

    static inline jitune_status status = JITUNE_OK;
    static inline std::string before, after;
};

TEST(CError, MayBeAskedWhenTheThreadIsEnding) {
    std::thread([] {
        thread_local FailsAtTheEnd last;  // made first, so that it goes last
        last.touch();
        guarded([] { throw Error(ErrorKind::usage, std::string(500, 'y')); });
    }).join();
    EXPECT_EQ(FailsAtTheEnd::status, JITUNE_ERROR_USAGE);
    EXPECT_EQ(FailsAtTheEnd::before, "the thread is ending: the message is gone");
    EXPECT_EQ(FailsAtTheEnd::after, FailsAtTheEnd::before);
}

TEST(CError, NamesEachStatus) {
    EXPECT_STREQ(jitune_status_name(JITUNE_OK), "ok");
    EXPECT_STREQ(jitune_status_name(JITUNE_ERROR_NOT_PREPARED), "not prepared");
    EXPECT_STREQ(jitune_status_name(JITUNE_ERROR_INTERNAL), "internal");
    EXPECT_STREQ(jitune_status_name(static_cast<jitune_status>(99)), "unknown");
    EXPECT_STREQ(jitune_status_name(static_cast<jitune_status>(-1)), "unknown");
}

TEST(CError, GivesTextsThatTheCallerFrees) {
    char* const text = new_text("a\nb");
    EXPECT_STREQ(text, "a\nb");
    jitune_free(text);
    jitune_free(nullptr);
}

TEST(CError, SaysItsVersion) {
    EXPECT_EQ(std::to_string(jitune_version() / 10000) + "." +
                  std::to_string(jitune_version() / 100 % 100) + "." +
                  std::to_string(jitune_version() % 100),
              jitune_version_text());
}

}  // namespace
}  // namespace jitune::internal
