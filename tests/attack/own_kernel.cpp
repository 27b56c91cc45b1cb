// SPDX-License-Identifier: Apache-2.0
// own_kernel FILE DATABASE [WORKER]: an app that launches a kernel of its own on four numbers and
// prints where the answer came from. It ends with 0 if the answer is right, 1 if it is wrong, and 3
// after an Error of jitune.

#include <jitune/tuned_kernel.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main(int count, char** arguments) {
    const std::vector<std::string> given(arguments, arguments + count);
    try {
        jitune::Options options;
        options.database = given.at(2);
        options.on_miss = jitune::TunePolicy::now;
        options.budget = std::chrono::milliseconds(0);  // tries all candidates
        options.log_level = jitune::LogLevel::info;
        options.worker = given.size() > 3 ? given[3] : "";
        jitune::Session session(options);
        const jitune::TunedKernel twice(given[1], {}, session);
        const float values[4] = {1, 2, 3, 4};
        float result[4] = {};
        const auto handle = twice.prepare({4});
        handle({values, result});
        const jitune::DispatchInfo& info = handle.info();
        std::printf("%s: %s\n", jitune::to_string(info.origin), info.configuration.c_str());
        return result[3] == 8 ? 0 : 1;
    } catch (const jitune::Error& error) {
        std::printf("%s\n", error.what());
        return 3;
    }
}
