#include "protocol/jsonrpc/message.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "protocol/jsonrpc/watched_keys.hpp"
#include "protocol/limits.hpp"

namespace gate::jsonrpc {

namespace {

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
  return std::ranges::all_of(raw, [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
}

/// Reads one message. What breaks a rule is noted and the walk goes on: text that is not JSON at
/// all must be told from a bad request, and the id may come last.
class reader {
 public:
  /// What is read goes into `m`, which has nothing in it yet.
  reader(std::string_view text, json::limits l, sender from, message& m)
      : text_(text), limits_(l), from_(from), m_(m) {}

  /// Why it is not one valid message; nothing if it is.
  std::optional<reading_error> run() {
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
    if (wrong_.empty()) return {};
    return reading_error{invalid_request, std::string(wrong_), id_usable_ ? m_.id : ""};
  }

 private:
  void refuse(std::string_view what) {
    if (wrong_.empty()) wrong_ = what;
  }

  /// What passes to a server must be read there as it is read here.
  void refuse_alike() {
    refuse("a key differs from one of ours by letter case only, or contains U+0000");
  }

  void member(std::string_view key, json::cursor& c) {
    const auto [how, which] = look_up(key, top_names);
    const bool ours = how == watched::likeness::same;
    if (ours && which == top_params) return params(c);
    if (ours && which == top_result) return result(c);
    auto value = c.value(1);
    if (!ours) {
      top_alike_ = top_alike_ || how != watched::likeness::none;
      return;
    }
    if (!c.ok() || !once(top_seen_, which)) return;
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
    constexpr std::size_t escape_bytes = 6;  // \uXXXX
    if (value.size() > limits::method_bytes * escape_bytes + 2) return refuse("method is too long");
    m_.method = is_string(value) ? value.substr(1, value.size() - 2) : "";
    if (m_.method.find('\\') != m_.method.npos) {
      auto text = std::make_shared<std::string>();
      if (!json::unquote(value, *text)) return refuse("method is not a name");
      m_.method = *text;
      m_.resolved = std::move(text);
    }
    if (m_.method.empty()) return refuse("method is not a name");
    if (!std::ranges::all_of(m_.method, [](char c) { return c > 0x20 && c < 0x7F; }))
      refuse("method is not plain printable ASCII");
    if (m_.method.size() > limits::method_bytes) refuse("method is too long");
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
        const auto which = find_same(key, result_names);
        note(which);
        if (which == result_meta && at.peek() == '{') return meta_of_result(at);
        auto value = at.value(2);
        if (which == result_failed) m_.has.failed = value == "true";
        if (which == result_task) note_task(json::member(value, "taskId"));
        if (which == result_type) {
          kind = value;
          if (m_.result_type.empty()) m_.result_type = value;
        }
        if (which == result_task_id) flat = value;
      });
      if (json::says(kind, "task")) note_task(flat);
    }
    if (first && c.ok()) m_.result = text_.substr(begin, c.offset() - begin);
    m_.has.noted = first && object && limits_.depth >= 3;
  }

  void note(std::size_t which) {
    m_.has.any = true;
    m_.has.type |= which == result_type;
    m_.has.ttl |= which == result_ttl;
    m_.has.scope |= which == result_scope;
    m_.has.meta |= which == result_meta;
  }

  void meta_of_result(json::cursor& c) {
    json::members(c, [this](std::string_view key, json::cursor& at) {
      auto value = at.value(3);
      if (json::same_key(key, "usage")) m_.usage = value;
      if (json::same_key(key, "task")) note_task(json::member(value, "taskId"));
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
    const auto [how, which] = look_up(key, param_names);
    auto value = c.value(2);
    if (!c.ok()) return;
    if (how == watched::likeness::none) {
      m_.other_params = true;
      return;
    }
    if (how == watched::likeness::nul) {
      nul_ = true;
      return;
    }
    auto& seen = how == watched::likeness::same ? param_seen_ : param_alike_;
    if (how == watched::likeness::same && seen >> which & 1)
      return refuse("a member of params occurs twice");
    seen |= 1u << which;
    if (how == watched::likeness::same) take_param(which, value);
  }

  void take_param(std::size_t which, std::string_view value) {
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
      case param_arguments:
        m_.arguments = value;
        break;
      case param_cursor:
        m_.cursor = value;
        break;
      case param_request_id:
        m_.request_id = value;
        break;
      case param_ref:
        m_.ref = value;
        if (is_object(value)) ref(value);
        break;
      case param_task_id:
        if (is_string(value)) m_.task_id = value;
        break;
      default:
        break;
    }
  }

  void ref(std::string_view value) {
    unsigned seen = 0;
    json::cursor c(value, limits_);
    json::members(c, [&](std::string_view key, json::cursor& at) {
      const auto [how, which] = look_up(key, ref_names);
      const auto part = at.value(1);
      if (how == watched::likeness::none) return;
      if (how != watched::likeness::same) {
        ref_alike_ = true;
        return;
      }
      if (seen >> which & 1) return refuse("a member of params.ref occurs twice");
      seen |= 1u << which;
      (which == ref_type ? m_.ref_type : which == ref_name ? m_.ref_name : m_.ref_uri) = part;
    });
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

  /// Whether a key that looks like one of ours does harm depends on who sent it, and what.
  bool misleads() const {
    if (from_ == sender::client) return top_alike_ || nul_ || ref_alike_ || param_alike_ != 0;
    if (m_.kind == kind::response) return false;
    return top_alike_ || nul_ || (param_alike_ & (param_seen_ | 1u << param_meta)) != 0;
  }

  void classify() {
    judge_kind();
    if (misleads()) refuse_alike();
  }

  void judge_kind() {
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
  sender from_;
  message& m_;
  std::string_view wrong_;
  unsigned top_seen_ = 0;
  unsigned param_seen_ = 0;
  unsigned param_alike_ = 0;
  bool top_alike_ = false;
  bool ref_alike_ = false;
  bool nul_ = false;  ///< in a key of params
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

boost::system::result<message, reading_error> read(std::string_view text, json::limits l,
                                                   sender from) {
  boost::system::result<message, reading_error> out;  // written where the caller gets it
  if (auto wrong = reader(text, l, from, *out).run()) out = std::move(*wrong);
  return out;
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
