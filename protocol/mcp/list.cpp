#include "protocol/mcp/list.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp {

namespace {

class page_reader {
 public:
  page_reader(std::string_view text, const list_shape& shape, std::string_view prefix)
      : text_(text),
        shape_(shape),
        prefix_(shape.prefixed ? prefix : ""),
        rest_(shape.member, prefix.empty()) {
    auto escaped = json::quoted(prefix_);
    spliced_ = escaped.substr(1, escaped.size() - 2);
  }

  result<list_page> run() {
    json::cursor c(text_, {limits::upstream_json_depth, false});
    json::members(c, [this](std::string_view key, json::cursor& at) { member(key, at); });
    c.finish();
    if (!c.ok() && wrong_.empty()) wrong_ = json::describe(c.error());
    if (wrong_.empty() && !found_)
      wrong_ = "the list has no array \"" + std::string(shape_.member) + '"';
    if (!wrong_.empty()) return problem{wrong_};
    page_.rest = rest_.take();
    return std::move(page_);
  }

  std::size_t skipped() const { return skipped_; }

 private:
  void stop(json::cursor& c, std::string_view what) {
    wrong_ = what;
    c.fail(json::fault::stopped);
  }

  void member(std::string_view key, json::cursor& c) {
    if (json::same_key(key, shape_.member)) {
      if (found_) return stop(c, "the list occurs twice in the result");
      if (c.peek() != '[') return stop(c, "the list is not an array");
      found_ = true;
      json::elements(c, [this](json::cursor& at) { item(at); });
      return;
    }
    auto value = c.value(1);
    if (!c.ok()) return;
    // Sloppy servers write null where they mean "no more".
    if (json::same_key(key, "nextCursor")) {
      page_.more = value != "null";
      page_.next_cursor = page_.more ? value : "";
      return;
    }
    rest_.member(key, value);
  }

  void item(json::cursor& c) {
    auto begin = c.offset();
    std::string_view key;
    int keys = 0;
    if (c.peek() == '{') {
      json::members(c, [&](std::string_view name, json::cursor& at) {
        auto value = at.value(3);
        if (json::same_key(name, shape_.key)) {
          key = value;
          ++keys;
        }
      });
    } else {
      c.value(2);
    }
    if (!c.ok()) return;
    list_item found;
    if (keys != 1 || !json::unquote(key, found.key) || found.key.empty() ||
        prefix_.size() + found.key.size() > limits::name_bytes) {
      ++skipped_;
      return;
    }
    if (page_.items.size() == limits::list_items) return stop(c, "the list is too long");
    found.key.insert(0, prefix_);
    auto raw = text_.substr(begin, c.offset() - begin);
    auto quote = static_cast<std::size_t>(key.data() - raw.data()) + 1;
    found.raw.reserve(raw.size() + spliced_.size());
    found.raw.append(raw.substr(0, quote)).append(spliced_).append(raw.substr(quote));
    page_.items.push_back(std::move(found));
  }

  std::string_view text_;
  const list_shape& shape_;
  std::string_view prefix_;
  std::string spliced_;  // the prefix as it stands in JSON
  list_page page_;
  rest_reader rest_;
  std::string wrong_;
  std::size_t skipped_ = 0;
  bool found_ = false;
};

}  // namespace

result<list_page> read_list_page(std::string_view raw_result, const list_shape& shape,
                                 std::string_view prefix, std::size_t* skipped) {
  page_reader reader(raw_result, shape, prefix);
  auto page = reader.run();
  if (skipped) *skipped = reader.skipped();
  return page;
}

std::string empty_list(const list_shape& shape) {
  return R"({")" + std::string(shape.member) + R"(":[]})";
}

}  // namespace gate::mcp
