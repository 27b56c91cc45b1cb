// SPDX-License-Identifier: Apache-2.0
#include "support/message_channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "jitune/error.hpp"

namespace jitune::internal {

using std::chrono::milliseconds;

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
