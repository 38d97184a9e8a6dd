#pragma once
/// What a Redis server says, once it is complete: a tree, kept as a list of nodes in the order of
/// the bytes, each of which names its text by its place. A `value` is a view of one node, good for
/// as long as what it came from; a `reply` owns the bytes and the nodes. Pure.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gate::resp {

enum class kind : std::uint8_t {
  null,
  text,    ///< a simple, bulk or verbatim string
  error,   ///< in a line, or as a bulk
  number,  ///< a whole one
  real,
  truth,
  big_number,  ///< its digits are its text
  list,
  set,
  map,   ///< keys and values in turns
  push,  ///< what nobody asked for
};

struct node {
  resp::kind kind = resp::kind::null;
  std::uint32_t children = 0;
  std::size_t nodes = 1;  ///< of its tree, itself among them
  std::size_t at = 0;     ///< of its text, from the reply's first byte on
  std::size_t size = 0;
  std::int64_t number = 0;  ///< of a number; 1 or 0 of a truth
  double real = 0;
};

class value {
 public:
  value(const node* it, const char* base) : it_(it), base_(base) {}

  resp::kind kind() const { return it_->kind; }
  bool is_null() const { return it_->kind == kind::null; }
  bool is_error() const { return it_->kind == kind::error; }
  bool is_text(std::string_view what) const { return it_->kind == kind::text && text() == what; }
  /// Of texts, errors and big numbers; else empty.
  std::string_view text() const { return {base_ + it_->at, it_->size}; }
  std::int64_t number() const { return it_->number; }
  double real() const { return it_->real; }
  bool truth() const { return it_->number != 0; }
  /// How many values are in it; of a map, keys and values.
  std::size_t size() const { return it_->children; }
  /// The first of them: there must be one. The others by `next`.
  value first() const { return {it_ + 1, base_}; }
  /// What stands behind this one in the same list.
  value next() const { return {it_ + it_->nodes, base_}; }
  /// One of them; looks at all before it.
  value operator[](std::size_t i) const {
    auto out = first();
    for (; i > 0; --i) out = out.next();
    return out;
  }
  /// The first word of an error, which is what it is told from others by: the rest is for people,
  /// and differs between servers.
  std::string_view word() const { return text().substr(0, text().find(' ')); }

 private:
  friend class reply;
  const node* it_;
  const char* base_;
};

/// A value that owns what it is made of. Immutable.
class reply {
 public:
  explicit reply(value v) : nodes_(v.it_, v.it_ + v.it_->nodes) {
    std::size_t end = 0;
    for (const auto& n : nodes_) end = std::max(end, n.at + n.size);
    bytes_.assign(v.base_, end);
  }

  value root() const { return {nodes_.data(), bytes_.data()}; }

 private:
  std::string bytes_;
  std::vector<node> nodes_;
};
using reply_ptr = std::shared_ptr<const reply>;

}  // namespace gate::resp
