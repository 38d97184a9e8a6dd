#pragma once
/// What a statement is given, in PostgreSQL's binary format; and numbers of its rows out of that.
/// Pure. Belongs to a `query`.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gate::postgres {

/// Numbers of types, as every server has them.
namespace type {
inline constexpr unsigned bytes = 17, number = 20, text = 25;
inline constexpr unsigned many_bytes = 1001, many_numbers = 1016, many_texts = 1009;
}  // namespace type

/// Values in their order. What is a view must outlive it.
class parameters {
 public:
  void add_number(std::int64_t n);
  void add_null();
  void add_view(std::string_view v, unsigned of);
  void add_numbers(std::span<const std::int64_t> all);
  void add_numbers(std::span<const std::optional<std::int64_t>> all);
  /// Texts, or bytes.
  void add_views(std::span<const std::string_view> all, unsigned of);

  int size() const { return static_cast<int>(types_.size()); }
  const unsigned* types() const { return types_.data(); }
  /// As libpq takes them; until something is added.
  const char* const* values();
  const int* lengths();
  const int* formats();

 private:
  struct value {
    bool null = false;
    bool owned = false;
    std::string bytes;
    std::string_view view;
  };
  void add_owned(std::string bytes, unsigned of);

  std::vector<value> all_;
  std::vector<unsigned> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_, formats_;
};

/// What a column of text takes: bytes that are no UTF-8, and zeros, become question marks.
std::string utf8_of(std::string_view text);

/// A number of one to eight bytes, the first one the highest.
std::int64_t number_of(std::string_view bytes);

}  // namespace gate::postgres
