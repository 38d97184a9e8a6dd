#pragma once
/// The resources that results have named to one client, and the upstream that did: no list need
/// have them, and the client may read them all the same. If several named the same, it is the first
/// one's in configuration order, as in lists. The longest unused is forgotten first. Pure; part of
/// CLIENT SESSION, made with the first result that names one.
///
/// Bounds: `limits::named_uris` and `limits::named_uri_bytes` of one client; of all clients of one
/// unit `limits::named_uri_total`, and whoever comes then makes room with its own.
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gate::sessions {

/// Bytes that all of them keep.
using named_total = std::size_t;

class named_uris {
 public:
  explicit named_uris(std::shared_ptr<named_total> total) : total_(std::move(total)) {}
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
  struct entry {
    std::string uri, upstream;
    std::size_t bytes() const { return uri.size() + upstream.size() + overhead; }
  };
  /// Of an entry, beside its texts: what the list and the table take.
  static constexpr std::size_t overhead = 160;

  void clear();
  void drop_oldest();

  std::shared_ptr<named_total> total_;
  std::list<entry> all_;  ///< longest unused first
  std::unordered_map<std::string_view, std::list<entry>::iterator> by_uri_;
  std::size_t bytes_ = 0;
};

}  // namespace gate::sessions
