// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/file_descriptor.hpp"

namespace jitune::internal {

/// A list of byte strings: the unit in which jitune processes talk to each other and keep journals.
using Message = std::vector<std::string>;

/// The message as bytes: their number, then each string with its length.
std::string encode(const Message& message);

/// The inverse of encode(), without the first number. Throws Error(unavailable) for other bytes.
Message decode(std::string_view body);

/// encode() behind a mark and a checksum: what a channel carries, so that bytes which something
/// else wrote into the channel are never taken for a message.
std::string frame(const Message& message);

/// Collects bytes as they arrive and splits them into messages.
class MessageBuffer {
public:
    void append(std::string_view bytes) { bytes_.append(bytes); }

    /// The next message whose frame is complete. Throws Error(unavailable) for other bytes.
    std::optional<Message> next();

private:
    std::string bytes_;
    std::size_t begin_ = 0;
};

/// Appends fields to a message.
class MessageWriter {
public:
    explicit MessageWriter(Message& message) : message_(message) {}

    MessageWriter& text(std::string_view value) {
        message_.emplace_back(value);
        return *this;
    }
    MessageWriter& integer(std::int64_t value) { return text(bytes_of(value)); }
    MessageWriter& real(double value) { return text(bytes_of(value)); }
    MessageWriter& reals(std::span<const double> values) {
        return text({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }
    MessageWriter& texts(std::span<const std::string> values);

    /// Appends several fields, each as its type requires. MessageReader::fields() reads them by the
    /// same list, so that one function template over either class both writes and reads.
    template <class... Fields>
    MessageWriter& fields(const Fields&... values) {
        (write(values), ...);
        return *this;
    }

    template <class T>
    static std::string_view bytes_of(const T& value) {
        return {reinterpret_cast<const char*>(&value), sizeof value};
    }

private:
    void write(const std::string& value) { text(value); }
    void write(const std::vector<double>& values) { reals(values); }
    void write(const std::vector<std::string>& values) { texts(values); }
    template <class T>
    void write(const T& value) {
        if constexpr (std::is_floating_point_v<T>) {
            real(value);
        } else {
            static_assert(std::is_integral_v<T>);
            integer(static_cast<std::int64_t>(value));
        }
    }

    Message& message_;
};

/// Takes fields from a message in the order in which they were written. Throws Error(unavailable)
/// if a field is missing or has another type. The message must outlive the reader.
class MessageReader {
public:
    explicit MessageReader(const Message& message) : message_(message) {}

    std::string text() { return next(); }
    std::int64_t integer() { return next_as<std::int64_t>(); }
    double real() { return next_as<double>(); }
    std::vector<double> reals();
    std::vector<std::string> texts();

    /// Reads fields that MessageWriter::fields() has written.
    template <class... Fields>
    void fields(Fields&... values) {
        (read(values), ...);
    }

private:
    void read(std::string& value) { value = text(); }
    void read(std::vector<double>& values) { values = reals(); }
    void read(std::vector<std::string>& values) { values = texts(); }
    template <class T>
    void read(T& value) {
        if constexpr (std::is_floating_point_v<T>) {
            value = real();
        } else {
            static_assert(std::is_integral_v<T>);
            value = static_cast<T>(integer());
        }
    }

    const std::string& next();
    template <class T>
    T next_as() {
        T value{};
        copy(next(), &value, sizeof value);
        return value;
    }
    static void copy(const std::string& field, void* value, std::size_t size);

    const Message& message_;
    std::size_t at_ = 0;
};

/// One end of a stream socket that carries messages both ways. Any thread may send; one thread
/// receives.
class MessageChannel {
public:
    explicit MessageChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

    /// Both ends of a new socket, closed on exec. Throws Error(unavailable).
    static std::pair<FileDescriptor, FileDescriptor> make_pair();

    /// Waits until the other end has room. False if the other end is closed. Never raises SIGPIPE.
    bool send(const Message& message);

    /// The next message; nothing if none arrives within `patience` (negative: wait for ever) or the
    /// other end is closed. Throws Error(unavailable) for a malformed message.
    std::optional<Message> receive(std::chrono::milliseconds patience);

    /// True if the other end is closed and every message from it has been received.
    [[nodiscard]] bool closed() const { return closed_; }

    /// The errno with which the system refused to send or to receive; 0 while it has not.
    [[nodiscard]] int error() const { return error_; }

private:
    FileDescriptor socket_;
    std::mutex sending_;
    MessageBuffer received_;
    bool closed_ = false;
    std::atomic<int> error_{0};
};

}  // namespace jitune::internal
