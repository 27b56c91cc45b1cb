// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/kept_place.hpp"

#include <string>

#include "support/hash.hpp"

namespace jitune::internal {

KeptBinary kept_place(const Task& task, const Configuration& configuration,
                      const Instance& instance) {
    Hasher hasher("instance");
    hasher.text(instance.program());
    for (const std::string& expression : instance.expressions) {
        hasher.text(expression);
    }
    const RecordKey key = task.key();
    KeptBinary place;
    place.kernel = key.kernel;
    place.types = key.types;
    place.configuration = configuration.text();
    place.template_hash = key.template_hash;
    place.device_class = key.device_class;
    place.instance = hex(hasher.digest());
    return place;
}

}  // namespace jitune::internal
