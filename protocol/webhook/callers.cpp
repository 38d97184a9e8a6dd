#include "protocol/webhook/callers.hpp"

#include <algorithm>
#include <set>

#include "protocol/http/bearer.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits/hooks_api.hpp"
#include "protocol/webhook/fields.hpp"

namespace gate::webhook {
namespace {

/// The name of a variable: longer ones are no names.
constexpr std::size_t token_ref_bytes = 256;

bool is_organization_id(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool is_variable(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

checked<std::string> read_organization_id(std::string_view raw, const std::string& at) {
  if (raw.empty()) return wrong_at(at, "the field " + at + " is missing");
  auto id = read_string(raw, at, limits::hooks_organization_bytes);
  if (!id || is_organization_id(*id)) return id;
  return wrong_at(at, "the field " + at + " is no id of an organization",
                  "small letters, digits and hyphens");
}

checked<std::string> read_token_ref(std::string_view raw, const std::string& at) {
  if (raw.empty()) return wrong_at(at, "the field " + at + " is missing");
  auto name = read_string(raw, at, token_ref_bytes);
  if (!name || is_variable(*name)) return name;
  return wrong_at(at, "the field " + at + " is no name of an environment variable",
                  "it names the variable that has the token, and is not the token itself");
}

checked<organization> read_organization(std::string_view raw, const std::string& at) {
  static constexpr std::array<std::string_view, 3> names{"id", "tokenRef", "admin"};
  const auto fields = read_object(raw, at, names);
  if (!fields) return fields.error();
  const auto& [id, token_ref, admin] = *fields;
  organization out;
  auto named = read_organization_id(id, member_pointer(at, "id"));
  if (!named) return named.error();
  out.id = std::move(*named);
  auto variable = read_token_ref(token_ref, member_pointer(at, "tokenRef"));
  if (!variable) return variable.error();
  out.token_ref = std::move(*variable);
  if (!admin.empty()) {
    const auto flag = read_flag(admin, member_pointer(at, "admin"));
    if (!flag) return flag.error();
    out.admin = *flag;
  }
  return out;
}

/// What of `one` another one has already.
std::optional<api_error> shared_with(const std::vector<organization>& others,
                                     const organization& one, const std::string& at) {
  const auto told = [&](std::string_view field) {
    auto pointer = member_pointer(at, field);
    auto sentence = "the field " + pointer + " is that of another organization, too";
    return wrong_at(std::move(pointer), std::move(sentence));
  };
  if (std::ranges::find(others, one.id, &organization::id) != others.end()) return told("id");
  if (std::ranges::find(others, one.token_ref, &organization::token_ref) != others.end())
    return told("tokenRef");
  return {};
}

checked<std::vector<organization>> read_list_of_organizations(std::string_view raw,
                                                              const std::string& at) {
  if (!raw.starts_with('[')) return wrong_at(at, "the field " + at + " must be an array");
  std::vector<organization> out;
  std::optional<api_error> wrong;
  json::cursor c(raw, {});
  json::elements(c, [&](json::cursor& element) {
    const auto pointer = member_pointer(at, std::to_string(out.size()));
    if (out.size() == limits::hooks_organizations) {
      wrong = wrong_at(at, "there are more than " + std::to_string(limits::hooks_organizations) +
                               " organizations");
      return element.fail(json::fault::stopped);
    }
    auto one = read_organization(element.value(1), pointer);
    wrong = one ? shared_with(out, *one, pointer) : std::optional(one.error());
    if (wrong) return element.fail(json::fault::stopped);
    out.push_back(std::move(*one));
  });
  if (wrong) return *wrong;
  if (out.empty()) return wrong_at(at, "the field " + at + " names no organization");
  return out;
}

/// What a file or a shell may have put around a token; callers can not show it.
std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

result<void> check_token(std::string_view token, const std::string& name) {
  const auto wrong = [&name](const std::string& how) {
    return problem{"the token in the variable " + name + ' ' + how};
  };
  if (token.empty())
    return problem{"the variable " + name + ", which has a token, is not set, or blank"};
  if (token.size() < limits::hooks_token_least)
    return wrong("is shorter than " + std::to_string(limits::hooks_token_least) + " characters");
  if (token.size() > limits::hooks_token_most)
    return wrong("is longer than " + std::to_string(limits::hooks_token_most) + " characters");
  if (!http::can_be_bearer(token)) return wrong("has other characters than those of visible ASCII");
  return {};
}

bool same_digest(const sha256_digest& a, const sha256_digest& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

checked<std::vector<organization>> read_organizations(std::string_view document) {
  static constexpr std::array<std::string_view, 1> names{"organizations"};
  if (document.size() > limits::hooks_configuration_bytes)
    return wrong_at("", "the document is longer than " +
                            std::to_string(limits::hooks_configuration_bytes) + " bytes");
  if (const auto fault = json::validate(document); fault != json::fault::none)
    return wrong_at("", "the document is malformed: " + std::string(json::describe(fault)));
  json::cursor c(document, {});
  if (c.peek() != '{') return wrong_at("", "the document must be an object");
  const auto fields = read_object(document, "", names);
  if (!fields) return fields.error();
  if (fields->front().empty())
    return wrong_at("/organizations", "the field /organizations is missing");
  return read_list_of_organizations(fields->front(), "/organizations");
}

callers::callers() : all_{{std::string(only), true, 0}} {}

result<callers> callers::of(std::span<const organization> all, const secrets& from) {
  callers out;
  out.all_.clear();
  std::set<sha256_digest> known;
  for (const auto& one : all) {
    const auto secret = from(one.token_ref);
    const auto token = without_blanks(secret ? std::string_view(*secret) : std::string_view());
    if (const auto good = check_token(token, one.token_ref); !good) return good.error();
    const auto digest = out.digest_(token);
    if (!known.insert(digest).second)
      return problem{"the token in the variable " + one.token_ref +
                     " is that of another organization, too"};
    out.digests_.push_back(digest);
    out.all_.push_back({one.id, one.admin, out.all_.size()});
  }
  if (out.all_.empty()) return problem{"there is no organization"};
  return out;
}

const caller* callers::find(std::string_view token) const {
  if (digests_.empty()) return &all_.front();
  const auto shown = digest_(token);
  const caller* out = nullptr;
  for (std::size_t i = 0; i < digests_.size(); ++i)
    if (same_digest(shown, digests_[i])) out = &all_[i];
  return out;
}

}  // namespace gate::webhook
