// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace jitune::internal {

/// Things by key. Finding takes no lock and never waits; things are only added and live as long as
/// the table. Adding is thread-safe. `Mix` gives a key's hash in [0, 1024).
template <class Key, class Thing, auto Mix>
class AppendTable {
public:
    AppendTable() = default;
    ~AppendTable() {
        for (std::atomic<Node*>& head : heads_) {
            for (Node* node = head.load(); node != nullptr;) {
                const std::unique_ptr<Node> owned(node);
                node = owned->next;
            }
        }
    }
    AppendTable(const AppendTable&) = delete;
    AppendTable& operator=(const AppendTable&) = delete;

    [[nodiscard]] Thing* find(const Key& key) const {
        return find_from(heads_[Mix(key)].load(std::memory_order_acquire), key);
    }

    /// Returns the thing that stands: the one that was there first.
    Thing& add(const Key& key, std::unique_ptr<Thing> thing) {
        auto node = std::make_unique<Node>(Node{key, std::move(thing), nullptr});
        std::atomic<Node*>& head = heads_[Mix(key)];
        node->next = head.load(std::memory_order_acquire);
        do {
            if (Thing* first = find_from(node->next, key)) {
                return *first;
            }
        } while (!head.compare_exchange_weak(node->next, node.get(), std::memory_order_release,
                                             std::memory_order_acquire));
        return *node.release()->thing;
    }

private:
    struct Node {
        Key key;
        std::unique_ptr<Thing> thing;
        Node* next = nullptr;
    };

    static Thing* find_from(const Node* node, const Key& key) {
        while (node != nullptr) {
            if (node->key == key) [[likely]] {
                return node->thing.get();
            }
            node = node->next;
        }
        return nullptr;
    }

    std::array<std::atomic<Node*>, 1024> heads_{};
};

}  // namespace jitune::internal
