#pragma once

#include <string>

#include <gtest/gtest.h>

#include "jitune/error.hpp"

namespace jitune {

/// Expects an Error of this kind whose message holds `text`.
template <class Action>
void expect_error(ErrorKind kind, const std::string& text, Action action) {
    try {
        action();
        ADD_FAILURE() << "no Error with \"" << text << '"';
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos)
            << error.what() << "\ndoes not say: " << text;
    }
}

}  // namespace jitune
