#pragma once
/// The merged pages that one unit keeps, of all lists together: bounded in bytes, with a share for
/// each list. When there is no room left, whoever holds most gives up its oldest page; so a list
/// that is read page by page, or is long, takes the place of nobody else's. Made by ROUTER, asked
/// by the lists (view_list.hpp), each through `kept_pages` of its own. Pure.
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::federation {

struct page {
  /// `{"tools":[…]`: everything but what differs between callers and the closing brace.
  std::shared_ptr<const std::string> head;
  std::optional<std::uint64_t> next;  ///< offset of the next page
  std::uint64_t count = 0;
};

class page_store {
 public:
  explicit page_store(std::size_t most = limits::page_cache_bytes,
                      std::size_t share = limits::page_cache_share)
      : most_(most), share_(share) {}

  /// Another list, which gets a name.
  std::uint64_t join() { return ++last_; }
  const page* find(std::uint64_t list, std::uint64_t offset) const;
  void keep(std::uint64_t list, std::uint64_t offset, const page& p);
  /// The list is another one now, or gone.
  void drop(std::uint64_t list);
  std::size_t bytes() const { return bytes_; }

 private:
  struct holder {
    std::unordered_map<std::uint64_t, page> pages;
    std::deque<std::uint64_t> order;  ///< oldest first
    std::size_t bytes = 0;
  };
  static std::size_t cost(const page& p) { return p.head->size() + limits::page_overhead; }
  void give_up_oldest(holder& h);

  std::size_t most_, share_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::uint64_t, holder> holders_;
  std::uint64_t last_ = 0;
};

/// The pages of one list, which are given up with it.
class kept_pages {
 public:
  explicit kept_pages(std::shared_ptr<page_store> store)
      : store_(std::move(store)), list_(store_->join()) {}
  kept_pages(kept_pages&&) noexcept = default;
  kept_pages& operator=(kept_pages&&) = delete;
  ~kept_pages() { clear(); }

  const page* find(std::uint64_t offset) const { return store_->find(list_, offset); }
  void keep(std::uint64_t offset, const page& p) { store_->keep(list_, offset, p); }
  void clear() {
    if (store_) store_->drop(list_);
  }

 private:
  std::shared_ptr<page_store> store_;
  std::uint64_t list_;
};

}  // namespace gate::federation
