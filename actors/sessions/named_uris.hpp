#pragma once
/// The resources that results have named to one client, and the upstream that did: no list need
/// have them, and the client may read them all the same. If several named the same, it is the first
/// one's in configuration order, as in lists. The longest unused is forgotten first. Pure; part of
/// CLIENT SESSION, made with the first result that names one.
///
/// Bounds: `limits::named_uris` and `limits::named_uri_bytes` of one client; of all clients of one
/// unit `limits::named_uri_total`, and whoever keeps most makes room: who was first does not keep
/// what is everybody's.
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::sessions {

class named_uris;

/// What all of one unit keep together.
class named_pool {
 public:
  explicit named_pool(std::size_t most = limits::named_uri_total) : most_(most) {}
  std::size_t bytes() const { return bytes_; }

 private:
  friend class named_uris;
  /// What this one keeps has changed.
  void settle(named_uris& n, std::size_t was);
  void make_room();

  std::size_t most_;
  std::size_t bytes_ = 0;
  std::set<std::pair<std::size_t, named_uris*>> by_size_;  ///< those that keep anything
};

class named_uris {
 public:
  explicit named_uris(std::shared_ptr<named_pool> all) : all_of_unit_(std::move(all)) {}
  ~named_uris() { clear(); }
  named_uris(const named_uris&) = delete;
  named_uris& operator=(const named_uris&) = delete;

  /// `upstream` is an id. `precedes(a, b)`: does `a` come before `b` in the configuration, or is
  /// there no `b` any more?
  void add(std::string_view uri, std::string_view upstream,
           const std::function<bool(std::string_view, std::string_view)>& precedes);
  /// The upstream's id; empty if nobody named it.
  std::string_view find(std::string_view uri);
  std::size_t size() const { return by_uri_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  friend class named_pool;
  struct entry {
    std::string uri, upstream;
    std::size_t bytes() const { return uri.size() + upstream.size() + overhead; }
  };
  /// Of an entry, beside its texts: what the list and the table take.
  static constexpr std::size_t overhead = 160;

  void clear();
  void drop_oldest();
  void resize(std::size_t bytes);

  std::shared_ptr<named_pool> all_of_unit_;
  std::list<entry> all_;  ///< longest unused first
  std::unordered_map<std::string_view, std::list<entry>::iterator> by_uri_;
  std::size_t bytes_ = 0;
};

}  // namespace gate::sessions
