// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace jitune::internal {

/// A hash table that only grows: values live as long as the table. Finding takes no lock and never
/// waits; adding is thread-safe. `Mix` maps a key to a slot in [0, 1024).
template <class Key, class Value, auto Mix>
class AppendTable {
    struct Any {
        bool operator()(const Value& /*value*/) const { return true; }
    };

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

    /// A value of the key that `wanted` accepts; null: none.
    template <class Wanted = Any>
    [[nodiscard]] Value* find(const Key& key, const Wanted& wanted = {}) const {
        return find_from(heads_[Mix(key)].load(std::memory_order_acquire), key, wanted);
    }

    /// Adds a value if the table has none of the key that `wanted` accepts. Returns the value that
    /// is in the table: where two threads add a key, that of the first.
    template <class Wanted = Any>
    Value& add(const Key& key, std::unique_ptr<Value> value, const Wanted& wanted = {}) {
        auto node = std::make_unique<Node>(Node{key, std::move(value), nullptr});
        std::atomic<Node*>& head = heads_[Mix(key)];
        node->next = head.load(std::memory_order_acquire);
        do {
            if (Value* first = find_from(node->next, key, wanted)) {
                return *first;
            }
        } while (!head.compare_exchange_weak(node->next, node.get(), std::memory_order_release,
                                             std::memory_order_acquire));
        return *node.release()->value;
    }

    /// Adds a value that hides those which the table has of the key, for all who find() later.
    Value& put(const Key& key, std::unique_ptr<Value> value) {
        auto node = std::make_unique<Node>(Node{key, std::move(value), nullptr});
        std::atomic<Node*>& head = heads_[Mix(key)];
        node->next = head.load(std::memory_order_acquire);
        while (!head.compare_exchange_weak(node->next, node.get(), std::memory_order_release,
                                           std::memory_order_acquire)) {
        }
        return *node.release()->value;
    }

    /// Calls `visit` for each value.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const std::atomic<Node*>& head : heads_) {
            for (const Node* node = head.load(std::memory_order_acquire); node != nullptr;
                 node = node->next) {
                visit(*node->value);
            }
        }
    }

    /// Calls `visit` for each value of the key.
    template <class Visit>
    void for_each(const Key& key, const Visit& visit) const {
        for (const Node* node = heads_[Mix(key)].load(std::memory_order_acquire); node != nullptr;
             node = node->next) {
            if (node->key == key) {
                visit(*node->value);
            }
        }
    }

private:
    struct Node {
        Key key;
        std::unique_ptr<Value> value;
        Node* next = nullptr;
    };

    template <class Wanted>
    static Value* find_from(const Node* node, const Key& key, const Wanted& wanted) {
        while (node != nullptr) {
            if (node->key == key && wanted(*node->value)) [[likely]] {
                return node->value.get();
            }
            node = node->next;
        }
        return nullptr;
    }

    std::array<std::atomic<Node*>, 1024> heads_{};
};

}  // namespace jitune::internal
