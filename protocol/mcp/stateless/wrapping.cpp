#include "protocol/mcp/stateless/wrapping.hpp"

#include <array>
#include <vector>

#include "protocol/json/scan.hpp"
#include "protocol/mcp/json_schema.hpp"

namespace gate::mcp::stateless {
namespace {

/// Where the value stands now, as a JSON pointer.
constexpr std::string_view place = "/properties/result";

/// `text` with `part`, which lies in it, as something else.
std::string replaced(std::string_view text, std::string_view part, std::string_view by) {
  const auto at = static_cast<std::size_t>(part.data() - text.data());
  std::string out;
  out.reserve(text.size() + by.size());
  return out.append(text.substr(0, at)).append(by).append(text.substr(at + part.size()));
}

/// Visits a schema (json_schema.hpp): where its references to itself stand, that have to follow it.
class reference_finder {
 public:
  struct reference {
    std::string_view raw;
    std::string to;
  };

  void enter() { open_.push_back({found_.size()}); }
  void leave() {
    // What has a name of its own is where its references begin, wherever it stands.
    if (open_.back().named) found_.resize(open_.back().before);
    open_.pop_back();
  }
  void keyword(std::string_view key, json::cursor& at) {
    const auto value = at.value();
    std::string text;
    if (json::same_key(key, "$id")) {
      open_.back().named |= json::unquote(value, text) && !text.starts_with('#');
    } else if (json::same_key(key, "$ref") || json::same_key(key, "$dynamicRef")) {
      if (json::unquote(value, text) && (text == "#" || text.starts_with("#/")))
        found_.push_back({value, '#' + std::string(place) + text.substr(1)});
    }
  }
  void down(std::string_view, std::string_view) {}
  void up() {}
  void unseen(std::string_view) {}

  const std::vector<reference>& found() const { return found_; }

 private:
  struct schema {
    std::size_t before;  ///< so many were found before it
    bool named = false;
  };
  std::vector<schema> open_;
  std::vector<reference> found_;
};

std::string moved(std::string_view raw_schema) {
  reference_finder finder;
  json::cursor c(raw_schema, {json::deepest, false});
  walk_schema(c, finder);
  std::string out;
  std::size_t done = 0;
  for (const auto& r : finder.found()) {
    const auto at = static_cast<std::size_t>(r.raw.data() - raw_schema.data());
    out.append(raw_schema.substr(done, at - done));
    json::append_quoted(out, r.to);
    done = at + r.raw.size();
  }
  return out.append(raw_schema.substr(done));
}

}  // namespace

std::optional<std::string> wrap_tool(std::string_view raw_tool) {
  const auto schema = json::member(raw_tool, "outputSchema");
  if (schema.empty() || json::says(json::member(schema, "type"), "object")) return {};
  return replaced(raw_tool, schema,
                  R"({"type":"object","properties":{"result":)" + moved(schema) +
                      R"(},"required":["result"]})");
}

tool_result::tool_result(std::string_view raw_result) {
  static constexpr std::array names{std::string_view("resultType"),
                                    std::string_view("structuredContent"),
                                    std::string_view("content")};
  const auto found = json::pick(raw_result, names);
  type = found[0];
  value = found[1];
  content = found[2];
}

std::optional<std::string> wrap_result(std::string_view raw_result, const tool_result& found,
                                       bool wrapped) {
  const auto value = found.value;
  if (value.empty()) return {};
  json::cursor elements(found.content, {json::deepest, false});
  const bool has_content = elements.take('[') && !elements.take(']');
  wrapped |= !value.starts_with('{');
  if (!wrapped && has_content) return {};
  // First what stands last: the first part still lies where it was.
  const auto put_content = [&](std::string_view text) {
    const auto words = R"([{"type":"text","text":)" + json::quoted(value) + "}]";
    const auto now = json::member(text, "content");
    if (!now.empty()) return replaced(text, now, words);
    const auto behind = text.find('{') + 1;
    return std::string(text.substr(0, behind)) + R"("content":)" + words + "," +
           std::string(text.substr(behind));
  };
  auto out = wrapped ? replaced(raw_result, value, R"({"result":)" + std::string(value) + "}")
                     : std::string(raw_result);
  return has_content ? out : put_content(out);
}

}  // namespace gate::mcp::stateless
