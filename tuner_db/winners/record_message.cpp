// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/record_message.hpp"

#include "jitune/error.hpp"

namespace jitune::internal {

void write_verdict(MessageWriter& writer, Verdict verdict) {
    writer.text(to_string(verdict));
}

Verdict read_verdict(MessageReader& reader) {
    const std::string name = reader.text();
    const std::optional<Verdict> verdict = verdict_from(name);
    if (!verdict) {
        throw Error(ErrorKind::unavailable,
                    "malformed message from a jitune worker: unknown verdict \"" + name +
                        "\"; is it a different version?");
    }
    return *verdict;
}

}  // namespace jitune::internal
