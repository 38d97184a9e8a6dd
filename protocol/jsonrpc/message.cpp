#include "protocol/jsonrpc/message.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "protocol/limits.hpp"

namespace gate::jsonrpc {

namespace {

constexpr std::size_t method_bytes = 256;

enum top : unsigned { top_jsonrpc, top_id, top_method, top_params, top_result, top_error };
constexpr std::array<std::string_view, 6> top_names{"jsonrpc", "id",     "method",
                                                    "params",  "result", "error"};

enum param : unsigned {
  param_name,
  param_uri,
  param_meta,
  param_arguments,
  param_cursor,
  param_request_id,
  param_ref,
  param_task_id
};
constexpr std::array<std::string_view, 8> param_names{"name",   "uri",       "_meta", "arguments",
                                                      "cursor", "requestId", "ref",   "taskId"};

/// The place of a raw key among `names`, or their number. Escaped spellings count: a peer resolves
/// them before it compares.
std::size_t place(std::string_view key, std::span<const std::string_view> names) {
  auto found = key.find('\\') == key.npos
                   ? std::ranges::find(names, key)
                   : std::ranges::find_if(names, [&](auto n) { return json::same_key(key, n); });
  return static_cast<std::size_t>(found - names.begin());
}

bool is_string(std::string_view raw) {
  return !raw.empty() && raw.front() == '"';
}
bool is_object(std::string_view raw) {
  return !raw.empty() && raw.front() == '{';
}

/// A valid JSON value that is a string or a number without fraction and exponent.
bool is_id(std::string_view raw) {
  if (raw.empty()) return false;
  if (raw.front() == '"') return true;
  return raw.find_first_not_of("-0123456789") == raw.npos;
}

/// Reads one message. What breaks a rule is noted and the walk goes on: text that is not JSON at
/// all must be told from a bad request, and the id may come last.
class reader {
 public:
  reader(std::string_view text, json::limits l) : text_(text), limits_(l) {}

  boost::system::result<message, reading_error> run() {
    json::cursor c(text_, limits_);
    char first = c.peek();
    if (first == '{' && limits_.depth > 0) {
      json::members(c, [this](std::string_view key, json::cursor& at) { member(key, at); });
    } else {
      c.value();
    }
    c.finish();
    if (!c.ok()) return reading_error{parse_error, std::string(json::describe(c.error())), {}};
    if (first == '[') return reading_error{parse_error, "a batch is not accepted here", {}};
    if (first != '{') refuse("the message is not an object");
    classify();
    if (wrong_.empty()) return m_;
    return reading_error{invalid_request, std::string(wrong_), id_usable_ ? m_.id : ""};
  }

 private:
  void refuse(std::string_view what) {
    if (wrong_.empty()) wrong_ = what;
  }

  void member(std::string_view key, json::cursor& c) {
    auto which = place(key, top_names);
    if (which == top_params) return params(c);
    if (which == top_result) return result(c);
    auto value = c.value(1);
    if (which == top_names.size() || !c.ok() || !once(top_seen_, which)) return;
    switch (which) {
      case top_jsonrpc:
        if (value.size() < 2 || !is_string(value) ||
            !json::same_key(value.substr(1, value.size() - 2), "2.0"))
          refuse("jsonrpc is not \"2.0\"");
        break;
      case top_id:
        id(value);
        break;
      case top_method:
        method(value);
        break;
      default:
        if (!is_object(value)) refuse("error is not an object");
        m_.error = value;
    }
  }

  void id(std::string_view value) {
    m_.id = value;
    if (!is_id(value)) return refuse("id is neither a string nor an integer");
    if (value.size() > limits::request_id_bytes) return refuse("id is too long");
    id_usable_ = true;
  }

  void method(std::string_view value) {
    m_.method = is_string(value) ? value.substr(1, value.size() - 2) : "";
    if (m_.method.empty()) return refuse("method is not a name");
    if (!std::ranges::all_of(m_.method, [](char c) { return c > 0x20 && c < 0x7F && c != '\\'; }))
      refuse("method is not plain printable ASCII");
    if (m_.method.size() > method_bytes) refuse("method is too long");
  }

  /// The result passes verbatim; on the way over it, what the gateway wants to know is noted.
  void result(json::cursor& c) {
    bool first = once(top_seen_, top_result);
    bool object = c.peek() == '{';
    auto begin = c.offset();
    if (!object || limits_.depth < 3) {
      c.value(1);
    } else {
      std::string_view kind, flat;
      json::members(c, [&](std::string_view key, json::cursor& at) {
        if (key == "_meta" && at.peek() == '{') return result_meta(at);
        auto value = at.value(2);
        if (key == "task") note_task(json::member(value, "taskId"));
        if (key == "resultType") kind = value;
        if (key == "taskId") flat = value;
      });
      if (kind == R"("task")") note_task(flat);
    }
    if (first && c.ok()) m_.result = text_.substr(begin, c.offset() - begin);
  }

  void result_meta(json::cursor& c) {
    json::members(c, [this](std::string_view key, json::cursor& at) {
      auto value = at.value(3);
      if (key == "usage") m_.usage = value;
      if (key == "task") note_task(json::member(value, "taskId"));
    });
  }

  void note_task(std::string_view raw_id) {
    if (m_.task_id.empty() && is_string(raw_id)) m_.task_id = raw_id;
  }

  void params(json::cursor& c) {
    bool first = once(top_seen_, top_params);
    bool object = c.peek() == '{';
    auto begin = c.offset();
    if (!object || !first) {  // a second one is only skipped
      c.value(1);
      if (!object) refuse("params is not an object");
      return;
    }
    if (limits_.depth < 2) return c.fail(json::fault::depth);
    json::members(c, [this](std::string_view key, json::cursor& at) { param(key, at); });
    m_.params = text_.substr(begin, c.offset() - begin);
  }

  void param(std::string_view key, json::cursor& c) {
    auto which = place(key, param_names);
    auto value = c.value(2);
    if (which == param_names.size() || !c.ok()) return;
    if (param_seen_ >> which & 1) return refuse("a member of params occurs twice");
    param_seen_ |= 1u << which;
    switch (which) {
      case param_name:
        if (is_string(value)) m_.name = value;
        break;
      case param_uri:
        if (is_string(value)) m_.uri = value;
        break;
      case param_meta:
        if (!is_object(value)) return refuse("params._meta is not an object");
        m_.meta = value;
        break;
      case param_cursor:
        m_.cursor = value;
        break;
      case param_request_id:
        m_.request_id = value;
        break;
      case param_ref:
        m_.ref = value;
        break;
      case param_task_id:
        if (is_string(value)) m_.task_id = value;
        break;
      default:
        break;
    }
  }

  /// Marks a member as seen; false, and a refusal, if it already was.
  bool once(unsigned& seen, std::size_t which) {
    if (seen >> which & 1) {
      if (which == top_id) id_usable_ = false;
      refuse("a member of the message occurs twice");
      return false;
    }
    seen |= 1u << which;
    return true;
  }

  bool has(top which) const { return top_seen_ >> which & 1; }

  void classify() {
    if (!has(top_jsonrpc)) refuse("jsonrpc is missing");
    if (has(top_method)) {
      if (has(top_result) || has(top_error)) refuse("a request carries a result or an error");
      m_.kind = has(top_id) ? kind::request : kind::notification;
      return;
    }
    m_.kind = kind::response;
    if (has(top_result) == has(top_error))
      return refuse(has(top_result) ? "a response carries both a result and an error"
                                    : "neither a method, a result nor an error");
    // Errors about unreadable requests come without an id.
    if (has(top_result) && !has(top_id)) refuse("a result without an id");
  }

  std::string_view text_;
  json::limits limits_;
  message m_;
  std::string_view wrong_;
  unsigned top_seen_ = 0;
  unsigned param_seen_ = 0;
  bool id_usable_ = false;
};

std::string head(std::string_view raw_id, std::string_view rest) {
  std::string out;
  out.reserve(48 + raw_id.size());
  out += R"({"jsonrpc":"2.0",)";
  if (!raw_id.empty()) {
    out += R"("id":)";
    out += raw_id;
    out += ',';
  }
  out += rest;
  return out;
}

}  // namespace

boost::system::result<message, reading_error> read(std::string_view text, json::limits l) {
  return reader(text, l).run();
}

bool is_batch(std::string_view text) noexcept {
  return json::cursor(text, {}).peek() == '[';
}

boost::system::result<std::vector<std::string_view>, reading_error> read_batch(
    std::string_view text, json::limits l) {
  json::cursor c(text, l);
  std::vector<std::string_view> found;
  bool too_many = false;
  if (bool array = c.peek() == '['; !array || l.depth == 0) {
    c.value();
    c.finish();
    if (c.ok()) return reading_error{invalid_request, "the message is not a batch", {}};
  } else {
    json::elements(c, [&](json::cursor& at) {
      auto element = at.value(1);
      too_many = too_many || found.size() == limits::batch_length;
      if (!too_many) found.push_back(element);
    });
    c.finish();
  }
  if (!c.ok()) return reading_error{parse_error, std::string(json::describe(c.error())), {}};
  if (found.empty()) return reading_error{invalid_request, "the batch is empty", {}};
  if (too_many) return reading_error{invalid_request, "the batch is too long", {}};
  return found;
}

std::string result_head(std::string_view raw_id) {
  return head(raw_id, R"("result":)");
}
std::string error_head(std::string_view raw_id) {
  return head(raw_id, R"("error":)");
}

std::string error_message(std::string_view raw_id, int code, std::string_view text,
                          std::string_view data) {
  std::string out = error_head(raw_id);
  out.reserve(out.size() + text.size() + data.size() + 48);
  out += R"({"code":)";
  char digits[16];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, code).ptr);
  out += R"(,"message":)";
  json::append_quoted(out, text);
  if (!data.empty()) {
    out += R"(,"data":)";
    out += data;
  }
  out += "}}";
  return out;
}

std::string request(std::string_view raw_id, std::string_view method, std::string_view params) {
  std::string out = head(raw_id, R"("method":)");
  out.reserve(out.size() + method.size() + params.size() + 16);
  json::append_quoted(out, method);
  if (!params.empty()) {
    out += R"(,"params":)";
    out += params;
  }
  out += '}';
  return out;
}

}  // namespace gate::jsonrpc
