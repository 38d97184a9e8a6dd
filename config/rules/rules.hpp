#pragma once
/// The rules of config/validate.hpp, one function a section. Each adds a finding for every place
/// that breaks a rule; a finding also says which other places its rule reads, so that a field which
/// could not even be read does not cause a second, misleading complaint.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/problem.hpp"

namespace gate::config::rules {

struct finding {
  config_problem problem;
  std::vector<std::string> reads;
};

class findings {
 public:
  void add(std::string pointer, std::string what, std::vector<std::string> reads = {}) {
    all.push_back({{std::move(pointer), std::move(what)}, std::move(reads)});
  }
  std::vector<finding> all;
};

void upstreams(const document& d, findings& out);
void auth(const document& d, findings& out);
void policy(const document& d, findings& out);
void tenants(const document& d, findings& out);
void audit(const document& d, findings& out);
void server(const document& d, findings& out);
void discovery(const document& d, findings& out);
void tracing(const document& d, findings& out);

// --- shared by the sections ----------------------------------------------------------------------

enum class scheme {
  any,     ///< http or https
  secure,  ///< https; http for loopback hosts only
};

/// A URL that the gateway calls or compares. The text itself is never quoted: it may carry secrets.
void url(findings& out, std::string pointer, std::string_view text, scheme s);
/// The same, without query: something will be appended to it.
void base_url(findings& out, std::string pointer, std::string_view text, scheme s);
/// Request headers an operator may set: names are tokens, none that frames the message.
void header_name(findings& out, std::string pointer, std::string_view name);
void scopes(findings& out, std::string_view pointer, const std::optional<text_list>& list);
/// An upstream id that must exist, unless discovery may still bring it.
void upstream_id(findings& out, std::string pointer, std::string_view id, const document& d);

/// `/upstreams/3`
std::string item(std::string_view list, std::size_t index);
/// `"docs"`, for messages.
std::string quote(std::string_view word);

}  // namespace gate::config::rules
