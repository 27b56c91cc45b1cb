// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"
#include "support/message.hpp"
#include "tuner_db/winners/record_message.hpp"
#include "tuning/isolation/worker_request.hpp"

using namespace jitune::internal;

namespace {

/// Reads the fields after a message's name in each of the ways that there are.
void read_fields(const Message& message) {
    const auto read = [&](auto what) {
        answers_or_refuses([&] {
            MessageReader reader(message);
            reader.text();
            what(reader);
        });
    };
    read([](MessageReader& reader) { read_request(reader); });
    read([](MessageReader& reader) {
        SharedImage none;
        read_progress(reader, none);
    });
    read([](MessageReader& reader) { throw read_error(reader); });
    read([](MessageReader& reader) { read_record<Measurement>(reader); });
    read([](MessageReader& reader) { read_record<Winner>(reader); });
    read([](MessageReader& reader) { read_compile_request(reader); });
    read([](MessageReader& reader) { read_outcomes(reader); });
    read([](MessageReader& reader) { reader.texts(); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = FuzzInput(data, size).rest();
    answers_or_refuses([&] {
        int left = 8;  // an input may hold a thousand empty ones, each with eight refusals
        MessageBuffer buffer;
        for (const std::string_view part : {bytes.substr(0, size / 2), bytes.substr(size / 2)}) {
            buffer.append(part);
            while (const auto message = buffer.next()) {
                promise(decode(std::string_view(encode(*message)).substr(4)) == *message,
                        "a message is read as it was written");
                if (left-- > 0) {
                    read_fields(*message);
                }
            }
        }
    });
    return 0;
}
