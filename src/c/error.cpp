// SPDX-License-Identifier: Apache-2.0
#include "c/error.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "jitune/version.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kNoMemory = "not enough memory";

/// Of the last call of this thread that has failed. Trivial, so that it can be read until the very
/// end of the thread: by atexit() functions and destructors of pthread keys, too.
struct Failure {
    char* text = nullptr;      ///< of malloc(), or null
    const char* message = "";  ///< `text`, or a literal
    jitune_native_code native_code{JITUNE_NATIVE_NONE, 0};
    bool is_ending = false;
};
thread_local constinit Failure last_failure;

/// Frees the text of a thread that ends. No text is kept afterwards.
struct TextGuard {
    TextGuard() = default;
    ~TextGuard() {
        std::free(last_failure.text);
        last_failure = {nullptr, "the thread is ending: the message is gone",
                        last_failure.native_code, true};
    }
    TextGuard(const TextGuard&) = delete;
    TextGuard& operator=(const TextGuard&) = delete;
    void arm() const {}
};
thread_local const TextGuard text_guard;

constexpr jitune_status status_of(ErrorKind kind) {
    return static_cast<jitune_status>(static_cast<int>(kind) + 1);
}
static_assert(status_of(ErrorKind::usage) == JITUNE_ERROR_USAGE);
static_assert(status_of(ErrorKind::not_prepared) == JITUNE_ERROR_NOT_PREPARED);
static_assert(status_of(ErrorKind::forked) == JITUNE_ERROR_FORKED);
static_assert(static_cast<int>(NativeCode::Source::none) == JITUNE_NATIVE_NONE);
static_assert(static_cast<int>(NativeCode::Source::system) == JITUNE_NATIVE_SYSTEM);

jitune_status keep(jitune_status status, const char* message, NativeCode code = {}) noexcept {
    last_failure.native_code = {static_cast<jitune_native_source>(code.source), code.value};
    if (last_failure.is_ending) {
        return status;
    }
    text_guard.arm();
    char* const text = ::strdup(message);
    std::free(std::exchange(last_failure.text, text));
    last_failure.message = text == nullptr ? kNoMemory : text;
    return status;
}

}  // namespace

jitune_status remember_exception() noexcept {
    try {
        throw;
    } catch (const Error& error) {
        return keep(status_of(error.kind()), error.what(), error.native_code());
    } catch (const std::bad_alloc&) {
        return keep(JITUNE_ERROR_UNAVAILABLE, kNoMemory);
    } catch (const std::exception& error) {
        return keep(JITUNE_ERROR_INTERNAL, error.what());
    } catch (...) {
        return keep(JITUNE_ERROR_INTERNAL, "unknown exception");
    }
}

jitune_status remember(jitune_status status, const std::string& message) noexcept {
    return keep(status, message.c_str());
}

void refuse_null(const void* pointer, const char* what) {
    if (pointer == nullptr) {
        throw Error(ErrorKind::usage, fmt::format("{} is null", what));
    }
}

void refuse_null(const void* pointer, const char* call, const char* name) {
    if (pointer == nullptr) {
        throw Error(ErrorKind::usage, fmt::format("{}: {} is null", call, name));
    }
}

char* new_text(const std::string& text) {
    char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) {
        throw std::bad_alloc();
    }
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

}  // namespace jitune::internal

using namespace jitune::internal;

const char* jitune_last_message(void) {
    return last_failure.message;
}

jitune_native_code jitune_last_native_code(void) {
    return last_failure.native_code;
}

const char* jitune_status_name(jitune_status status) {
    constexpr std::array kNames{"ok",     "usage",   "unavailable", "compile",
                                "device", "verify",  "store",       "not prepared",
                                "forked", "command", "interrupted", "internal"};
    static_assert(kNames.size() == JITUNE_ERROR_INTERNAL + 1);
    const auto index = static_cast<std::size_t>(status);
    return index < kNames.size() ? kNames[index] : "unknown";
}

void jitune_free(char* text) {
    std::free(text);
}

int jitune_version(void) {
    return JITUNE_VERSION;
}

const char* jitune_version_text(void) {
    return JITUNE_VERSION_STRING;
}
