// SPDX-License-Identifier: Apache-2.0
#include "cli/app/device_argument.hpp"

#include "jitune/error.hpp"
#include "spread/machine.hpp"

namespace jitune::internal {

void refuse_auto(const std::string& device) {
    if (device == "auto") {
        throw Error(ErrorKind::usage,
                    "--device auto: that is a word of Options::device alone. Leave --device out "
                    "for the first GPU, or the host where there is none; the fastest place of "
                    "arrays in host memory is called machine here");
    }
}

Device& chosen_device(Engine& engine, const std::string& device) {
    refuse_auto(device);
    return device.empty() ? engine.first_device() : engine.device(device);
}

Device& chosen_place(Engine& engine, const std::string& device) {
    return runs_placements(device) ? device_of(engine, device) : chosen_device(engine, device);
}

}  // namespace jitune::internal
