// SPDX-License-Identifier: Apache-2.0
#include "support/message_channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "jitune/error.hpp"

namespace jitune::internal {

std::pair<FileDescriptor, FileDescriptor> MessageChannel::make_pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        const int code = errno;
        throw Error(
            ErrorKind::unavailable,
            "cannot open a message channel: socketpair: " + std::system_category().message(code),
            {NativeCode::Source::system, code});
    }
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool MessageChannel::send(const Message& message) {
    const std::string bytes = encode(message);
    const std::lock_guard lock(sending_);
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count =
            ::send(socket_.number(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return true;
}

std::optional<Message> MessageChannel::receive(std::chrono::milliseconds patience) {
    if (std::optional<Message> message = received_.next()) {
        return message;
    }
    pollfd waiting{socket_.number(), POLLIN, 0};
    if (closed_ || ::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) {
        return std::nullopt;
    }
    std::array<char, 65536> buffer;
    const ssize_t count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
    closed_ = count == 0 || (count < 0 && errno != EINTR);
    if (count > 0) {
        received_.append({buffer.data(), static_cast<std::size_t>(count)});
    }
    return received_.next();
}

}  // namespace jitune::internal
