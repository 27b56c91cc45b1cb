// SPDX-License-Identifier: Apache-2.0
#include "support/message.hpp"

#include <cerrno>
#include <tuple>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

TEST(Message, TravelsWhole) {
    const Message message{"tune", "", std::string("a\0b", 3), std::string(100'000, 'x')};
    MessageBuffer buffer;
    buffer.append(frame(message) + frame({}) + frame({"last"}));
    EXPECT_EQ(buffer.next(), message);
    EXPECT_EQ(buffer.next(), Message{});
    EXPECT_EQ(buffer.next(), Message{"last"});
    EXPECT_EQ(buffer.next(), std::nullopt);
}

TEST(Message, WaitsForItsLastByte) {
    const Message message{"one", "two"};
    MessageBuffer buffer;
    for (const char byte : frame(message)) {
        EXPECT_EQ(buffer.next(), std::nullopt);
        buffer.append({&byte, 1});
    }
    EXPECT_EQ(buffer.next(), message);
}

TEST(Message, ForeignBytesAreRefusedAtOnce) {
    for (const char* foreign : {"S", "Segmentation fault (core dumped)", "jitune>\n", "\xff"}) {
        MessageBuffer buffer;
        buffer.append(foreign);
        expect_error(ErrorKind::unavailable, "malformed message", [&] { buffer.next(); });
    }
}

TEST(Message, NoChangedByteIsReadAsAMessage) {
    const std::string good = frame({"field", "another"});
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const int change : {1, 0x80}) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ change);
            MessageBuffer buffer;
            buffer.append(bad);
            try {
                EXPECT_EQ(buffer.next(), std::nullopt) << "byte " << at;  // a greater length
            } catch (const Error& error) {
                EXPECT_NE(std::string_view(error.what()).find("malformed message"),
                          std::string_view::npos);
            }
        }
    }
}

TEST(Message, BytesBetweenTwoMessagesAreRefused) {
    MessageBuffer buffer;
    buffer.append(frame({"one"}) + "x" + frame({"two"}));
    EXPECT_EQ(buffer.next(), Message{"one"});
    expect_error(ErrorKind::unavailable, "malformed message", [&] { buffer.next(); });
}

TEST(Message, HasFieldsOfSeveralTypes) {
    Message message;
    MessageWriter writer(message);
    const std::vector<double> reals{0.1, -1e300};
    const std::vector<std::string> texts{"a", ""};
    writer.text("word").integer(-5).real(0.3).reals(reals).texts(texts).reals({});
    MessageReader reader(message);
    EXPECT_EQ(reader.text(), "word");
    EXPECT_EQ(reader.integer(), -5);
    EXPECT_EQ(reader.real(), 0.3);
    EXPECT_EQ(reader.reals(), reals);
    EXPECT_EQ(reader.texts(), texts);
    EXPECT_EQ(reader.reals(), std::vector<double>{});
    expect_error(ErrorKind::unavailable, "malformed message", [&] { reader.text(); });
}

TEST(Message, IsReadByTheListOfFieldsThatWroteIt) {
    Message one_by_one;
    const std::vector<double> reals{0.5};
    const std::vector<std::string> texts{"a", "b"};
    MessageWriter(one_by_one)
        .text("word")
        .integer(1)
        .integer(7)
        .real(0.3)
        .reals(reals)
        .texts(texts);
    Message listed;
    MessageWriter(listed).fields(std::string("word"), true, std::uint64_t{7}, 0.3, reals, texts);
    EXPECT_EQ(listed, one_by_one);
    std::string word;
    bool truth = false;
    std::uint64_t number = 0;
    double real = 0;
    std::vector<double> more_reals;
    std::vector<std::string> more_texts;
    MessageReader(listed).fields(word, truth, number, real, more_reals, more_texts);
    EXPECT_EQ(std::tie(word, truth, number, real), std::make_tuple("word", true, 7U, 0.3));
    EXPECT_EQ(std::tie(more_reals, more_texts), std::tie(reals, texts));
}

TEST(Message, RefusesFieldsOfAnotherType) {
    const Message message{"word", "seven b"};
    expect_error(ErrorKind::unavailable, "malformed message",
                 [&] { MessageReader(message).integer(); });
    expect_error(ErrorKind::unavailable, "malformed message",
                 [&] { MessageReader(message).reals(); });
}

TEST(MessageChannel, KnowsHowTheSystemRefused) {
    auto [ours, theirs] = MessageChannel::make_pair();
    MessageChannel channel(std::move(ours));
    EXPECT_TRUE(channel.send({"text"}));
    EXPECT_EQ(channel.error(), 0);
    theirs.close();
    EXPECT_FALSE(channel.send({"text"}));
    EXPECT_EQ(channel.error(), EPIPE);
}

}  // namespace
}  // namespace jitune::internal
