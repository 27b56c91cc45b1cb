// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_access.hpp"

#include <new>
#include <stdexcept>
#include <system_error>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

template <class Exception>
void throw_in_a_public_function(const Exception& exception) try {
    throw exception;
} catch (...) {
    throw_as_error();
}

TEST(ThrownError, OfMissingMemoryIsAnError) {
    expect_error(ErrorKind::unavailable, "not enough memory",
                 [] { throw_in_a_public_function(std::bad_alloc()); });
}

TEST(ThrownError, OfTheSystemIsAnErrorWithItsCode) {
    const NativeCode code = expect_error(ErrorKind::unavailable, "no thread", [] {
        throw_in_a_public_function(std::system_error(EAGAIN, std::system_category(), "no thread"));
    });
    EXPECT_EQ(code, (NativeCode{NativeCode::Source::system, EAGAIN}));
}

TEST(ThrownError, OfJituneAndOfTheAppStayAsTheyAre) {
    expect_error(ErrorKind::usage, "as it was",
                 [] { throw_in_a_public_function(Error(ErrorKind::usage, "as it was")); });
    EXPECT_THROW(throw_in_a_public_function(std::domain_error("the app's")), std::domain_error);
}

}  // namespace
}  // namespace jitune::internal
