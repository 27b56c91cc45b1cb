// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_access.hpp"

#include <execinfo.h>

#include <new>
#include <system_error>

#include <fmt/format.h>

#include "dispatch/session_options.hpp"
#include "jitune/error.hpp"
#include "jitune/results.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

Error make_memory_error() {
    return {ErrorKind::unavailable,
            "not enough memory for a call of jitune: free some, and call again"};
}

/// Made while the program starts, because there is memory then, and never destroyed, because calls
/// may come while the process ends. Copies share its text and need no memory. Exceptions that pass
/// through pthread_once need glibc's unwinder, which takes memory when it is first used: that is
/// here.
const Error* prepare_memory_error() {
    try {
        void* frame = nullptr;
        backtrace(&frame, 1);
        return new Error(make_memory_error());
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

const Error* const memory_error = prepare_memory_error();

}  // namespace

void throw_as_error() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        throw memory_error != nullptr ? Error(*memory_error) : make_memory_error();
    } catch (const std::system_error& error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("the system refused what a call of jitune needs: {}", error.what()),
                    {NativeCode::Source::system, error.code().value()});
    }
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

struct OriginRow {
    Origin value;
    const char* name;
};
constexpr std::array kOrigins{
    OriginRow{Origin::tuned, "tuned"},     OriginRow{Origin::stored, "stored"},
    OriginRow{Origin::nearest, "nearest"}, OriginRow{Origin::template_default, "default"},
    OriginRow{Origin::pinned, "pinned"},   OriginRow{Origin::rule, "rule"},
};

}  // namespace

Options Options::from_environment() try {
    Options options = read_environment(TunePolicy::background);
    warn_without_folder(options);
    return options;
} catch (...) {
    throw_as_error();
}

const char* to_string(Origin origin) {
    return row_of(kOrigins, origin, "an origin").name;
}

namespace detail {

void throw_no_room(const char* call, std::int64_t count, std::size_t bytes) {
    throw Error(ErrorKind::unavailable,
                fmt::format("{}: there is no memory for {} results of {} bytes: ask for fewer, or "
                            "write them to memory of your own",
                            call, count, bytes));
}

}  // namespace detail
JITUNE_END_NAMESPACE
