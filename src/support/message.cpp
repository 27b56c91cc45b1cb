// SPDX-License-Identifier: Apache-2.0
#include "support/message.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "jitune/error.hpp"
#include "support/hash.hpp"

namespace jitune::internal {
namespace {

// More than the largest image. A greater length shows that the bytes are not a message.
constexpr std::size_t kMostBytes = std::size_t{1} << 29;

constexpr std::string_view kMark{"jitune>\0", 8};
constexpr std::uint64_t kSeed = 0;

struct FrameHeader {
    char mark[8] = {'j', 'i', 't', 'u', 'n', 'e', '>', '\0'};
    std::uint64_t checksum = 0;  ///< of the body and its length
};

[[noreturn]] void refuse() {
    throw Error(ErrorKind::unavailable,
                "malformed message from a jitune worker; is it a different version?");
}

void put_size(std::string& bytes, std::size_t size) {
    const auto number = static_cast<std::uint32_t>(size);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Removes the number at the front of `bytes` and returns it.
std::size_t take_size(std::string_view& bytes) {
    std::uint32_t size = 0;
    if (bytes.size() < sizeof size) {
        refuse();
    }
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    return size;
}

}  // namespace

std::string encode(const Message& message) {
    std::size_t size = 0;
    for (const std::string& field : message) {
        size += sizeof(std::uint32_t) + field.size();
    }
    if (size > kMostBytes) {
        throw Error(ErrorKind::unavailable,
                    "cannot send a message to a jitune worker: it is longer than 512 MiB");
    }
    std::string bytes;
    bytes.reserve(size + sizeof(std::uint32_t));
    put_size(bytes, size);
    for (const std::string& field : message) {
        put_size(bytes, field.size());
        bytes += field;
    }
    return bytes;
}

Message decode(std::string_view body) {
    Message message;
    while (!body.empty()) {
        const std::size_t size = take_size(body);
        if (size > body.size()) {
            refuse();
        }
        message.emplace_back(body.substr(0, size));
        body.remove_prefix(size);
    }
    return message;
}

std::string frame(const Message& message) {
    const std::string body = encode(message);
    FrameHeader header;
    header.checksum = quick_hash(body, kSeed);
    return std::string(MessageWriter::bytes_of(header)) + body;
}

std::optional<Message> MessageBuffer::next() {
    std::string_view rest = std::string_view(bytes_).substr(begin_);
    // Foreign bytes are refused at once, before there are enough of them for a header.
    if (!kMark.starts_with(rest.substr(0, kMark.size()))) {
        refuse();
    }
    if (rest.size() < sizeof(FrameHeader) + sizeof(std::uint32_t)) {
        return std::nullopt;
    }
    FrameHeader header;
    std::memcpy(&header, rest.data(), sizeof header);
    rest.remove_prefix(sizeof header);
    std::string_view body = rest;
    const std::size_t size = take_size(body);
    if (size > kMostBytes) {
        refuse();
    }
    if (body.size() < size) {
        return std::nullopt;
    }
    rest = rest.substr(0, sizeof(std::uint32_t) + size);
    if (quick_hash(rest, kSeed) != header.checksum) {
        refuse();
    }
    Message message = decode(body.substr(0, size));
    begin_ += sizeof header + rest.size();
    if (begin_ == bytes_.size() || begin_ > bytes_.size() / 2) {
        bytes_.erase(0, begin_);
        begin_ = 0;
    }
    return message;
}

MessageWriter& MessageWriter::texts(std::span<const std::string> values) {
    integer(static_cast<std::int64_t>(values.size()));
    message_.insert(message_.end(), values.begin(), values.end());
    return *this;
}

const std::string& MessageReader::next() {
    if (at_ == message_.size()) {
        refuse();
    }
    return message_[at_++];
}

void MessageReader::copy(const std::string& field, void* value, std::size_t size) {
    if (field.size() != size) {
        refuse();
    }
    std::memcpy(value, field.data(), size);
}

std::vector<double> MessageReader::reals() {
    const std::string& field = next();
    if (field.size() % sizeof(double) != 0) {
        refuse();
    }
    std::vector<double> values(field.size() / sizeof(double));
    if (!values.empty()) {
        std::memcpy(values.data(), field.data(), field.size());
    }
    return values;
}

std::vector<std::string> MessageReader::texts() {
    std::vector<std::string> values;
    for (std::int64_t left = integer(); left > 0; --left) {
        values.push_back(next());
    }
    return values;
}

using std::chrono::milliseconds;

std::pair<FileDescriptor, FileDescriptor> MessageChannel::make_pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw_system_error(ErrorKind::unavailable, "cannot open a message channel: socketpair",
                           errno);
    }
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool MessageChannel::send(const Message& message) {
    const std::string bytes = frame(message);
    const std::lock_guard lock(sending_);
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count =
            ::send(socket_.number(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            error_ = errno;
            return false;  // a part may have gone: nothing can follow it
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return true;
}

std::optional<Message> MessageChannel::receive(milliseconds patience) {
    if (std::optional<Message> message = received_.next()) {
        return message;
    }
    if (closed_) {
        return std::nullopt;
    }
    pollfd waiting{socket_.number(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(patience.count())) < 0 && errno != EINTR) {
        // The system has no memory to wait with. Looking again and again needs none.
        constexpr milliseconds kPause{20};
        std::this_thread::sleep_for(patience < milliseconds(0) ? kPause
                                                               : std::min(patience, kPause));
    }
    std::array<char, 65536> buffer;
    const ssize_t count = ::recv(socket_.number(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    const bool is_empty = count < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOMEM);
    closed_ = count == 0 || (count < 0 && !is_empty);
    error_ = count < 0 && closed_ ? errno : error_.load();
    if (count > 0) {
        received_.append({buffer.data(), static_cast<std::size_t>(count)});
    }
    return received_.next();
}

}  // namespace jitune::internal
