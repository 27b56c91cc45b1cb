// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jitune::internal {

/// How many bytes a part of the page may still have, so that the whole stays small whatever the
/// size of the database.
class Allowance {
public:
    explicit Allowance(std::size_t bytes) : left_(bytes) {}

    /// Appends `html` to `page` if there is room for all of it.
    bool add(std::string& page, std::string_view html) {
        if (html.size() > left_) {
            return false;
        }
        left_ -= html.size();
        page += html;
        return true;
    }

    [[nodiscard]] std::size_t left() const { return left_; }

private:
    std::size_t left_;
};

}  // namespace jitune::internal
