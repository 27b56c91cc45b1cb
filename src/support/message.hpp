// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

    MessageWriter& text(std::string_view value);
    MessageWriter& integer(std::int64_t value);
    MessageWriter& real(double value);
    MessageWriter& reals(std::span<const double> values);
    MessageWriter& texts(std::span<const std::string> values);

    /// Appends several fields, each as its type requires. MessageReader::fields() reads them by the
    /// same list, so that one function template over either class both writes and reads.
    template <class... Fields>
    MessageWriter& fields(const Fields&... values) {
        (write(values), ...);
        return *this;
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
    std::int64_t integer();
    double real();
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

    const Message& message_;
    std::size_t at_ = 0;
};

}  // namespace jitune::internal
