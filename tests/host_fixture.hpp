#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "backend/backend.hpp"
#include "backend/host/host_platform.hpp"
#include "expect_error.hpp"
#include "jitune/error.hpp"

namespace jitune {

/// One step with these cells as its arguments, in order.
template <class... Cells>
Launch launch_with(Cells... cells) {
    static_assert(((sizeof cells <= 8) && ...));
    Launch launch{};
    launch.step_count = 1;
    launch.steps[0].grid = {1, 1, 1};
    launch.steps[0].block = {1, 1, 1};
    [[maybe_unused]] const auto add = [&](const auto& cell) {
        const std::uint8_t index = launch.steps[0].argument_count++;
        launch.steps[0].arguments[index] = index;
        std::memcpy(&launch.cells[index], &cell, sizeof cell);
    };
    (add(cells), ...);
    return launch;
}

class HostBackendTest : public testing::Test {
protected:
    Backend& backend() { return platform_->device(0); }

    CompileOutcome compile(const std::string& text, const std::string& expression) {
        return backend().compile({"test.host.cpp", text, {}}, {{Instance{{expression}}}}).front();
    }
    Binary binary(const std::string& text, const std::string& expression) {
        CompileOutcome outcome = compile(text, expression);
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        EXPECT_EQ(failure, nullptr) << failure->log;
        return std::get<Binary>(outcome);
    }
    std::shared_ptr<const Program> program(const std::string& text, const std::string& name) {
        return backend().load(binary(text, name));
    }
    void expect_refused(const std::string& image) {
        const Binary bad{"so", std::make_shared<const std::string>(image), {"jitune_entry_0_0"}};
        expect_error(ErrorKind::device, "load compiled code", [&] { backend().load(bad); });
    }

    std::unique_ptr<Platform> platform_ = make_host_platform(Log(LogLevel::off));
};

inline constexpr const char* kScale = R"(
template <int kFactor>
void scale(const int* value, int* result) { *result = kFactor * *value; }
)";

/// Answers how often it has been called since its image was mapped.
inline constexpr const char* kCounter = R"(
void count(int* result) { static int calls = 0; *result = ++calls; })";

}  // namespace jitune
