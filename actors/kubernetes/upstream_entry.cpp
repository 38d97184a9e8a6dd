#include "actors/kubernetes/upstream_entry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "config/discovery/discovered.hpp"
#include "config/options/nearest.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/http/url.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::kubernetes {
namespace {

/// Our annotations, but for labels. Those with a key are a member of the upstream: `key`, or
/// `object/key`.
struct known_annotation {
  std::string_view name;
  std::string_view member{};
};
constexpr std::array annotations_known{
    known_annotation{"enabled"},
    known_annotation{"namespace"},
    known_annotation{"path"},
    known_annotation{"port"},
    known_annotation{"scheme"},
    known_annotation{"protocol", "protocol"},
    known_annotation{"owner-org", "owner/org"},
    known_annotation{"owner-team", "owner/team"},
    known_annotation{"owner-contact", "owner/contact"},
    known_annotation{"secret-ref", "auth/secretRef"},
    known_annotation{"secret-header", "auth/header"},
    known_annotation{"secret-scheme", "auth/scheme"},
    known_annotation{"lists-per-client"},
};
constexpr std::string_view label_prefix = "label-";

std::string named(std::string_view annotation) {
  return std::string(annotation_prefix) + std::string(annotation);
}

/// What one Service says; the first thing that is wrong with it.
class reading {
 public:
  reading(const service& s, const entry_rules& rules) : s_(s), rules_(rules) {}

  entry_result all() {
    names();
    if (!wrong_) unknown();
    const auto url = wrong_ ? std::string() : url_of();
    if (wrong_) return unfit{absence::invalid, std::move(*wrong_)};
    upstream_entry out{id_of(s_), std::string(value("namespace", s_.name)), {}};
    if (std::ranges::find(rules_.reserved, out.space) != rules_.reserved.end())
      return unfit{absence::space, "the namespace \"" + out.space +
                                       "\" is reserved (--reserve): choose another with " +
                                       named("namespace")};
    out.json = written(out, url);
    if (wrong_) return unfit{absence::invalid, std::move(*wrong_)};
    if (auto wrong = judged(out.json); !wrong.empty())
      return unfit{absence::invalid, std::move(wrong)};
    if (auto wrong = forbidden_secret(); !wrong.empty())
      return unfit{absence::secret, std::move(wrong)};
    if (auto wrong = forbidden_host(url); !wrong.empty())
      return unfit{absence::host, std::move(wrong)};
    return out;
  }

 private:
  std::string_view value(std::string_view name, std::string_view otherwise = {}) const {
    const auto it = s_.annotations.find(name);
    return it == s_.annotations.end() ? otherwise : std::string_view(it->second);
  }
  void fail(std::string what) {
    if (!wrong_) wrong_ = std::move(what);
  }

  void names() {
    if (!is_dns_label(s_.name) || !is_dns_label(s_.space))
      return fail("its name or namespace is none that the DNS allows");
    if (s_.space.find("--") != std::string::npos)
      return fail("its namespace has -- in its name, which parts namespace and name in ids");
    if (s_.too_much)
      return fail("an annotation is longer than " +
                  std::to_string(limits::cluster_annotation_bytes) +
                  " bytes, or there are too many");
    if (value("enabled") != "true")
      return fail(named("enabled") + " is neither \"true\" nor \"false\"");
    if (s_.type == "ExternalName")
      return fail(
          "it is an ExternalName, which leads anywhere: name that upstream in the "
          "gateway's own document");
  }

  /// A name that is misspelled would be a wish that nobody hears.
  void unknown() {
    std::size_t labels = 0;
    for (const auto& [name, text] : s_.annotations) {
      if (name.starts_with(label_prefix) && name.size() > label_prefix.size()) {
        ++labels;
        continue;
      }
      if (std::ranges::find(annotations_known, name, &known_annotation::name) !=
          annotations_known.end())
        continue;
      std::vector<std::string_view> known;
      known.reserve(annotations_known.size());
      for (const auto& a : annotations_known) known.push_back(a.name);
      const auto meant = config::nearest(name, known);
      return fail("the annotation " + json::quoted(named(name)) + " is not known" +
                  (meant.empty() ? std::string() : ": is " + named(meant) + " meant?"));
    }
    if (labels > limits::cluster_labels)
      fail("it has more than " + std::to_string(limits::cluster_labels) + " labels");
  }

  const service_port* port() {
    const auto wish = value("port");
    const auto is_it = [&](const service_port& p) {
      return http::all_digits(wish) ? std::to_string(p.number) == wish : p.name == wish;
    };
    if (s_.ports.empty()) {
      fail("it has no port");
    } else if (wish.empty()) {
      if (s_.ports.size() == 1) return &s_.ports.front();
      fail("it has " + std::to_string(s_.ports.size()) + " ports: say which with " + named("port") +
           ", its name or number");
    } else if (const auto it = std::ranges::find_if(s_.ports, is_it); it != s_.ports.end()) {
      return &*it;
    } else {
      fail(named("port") + " names none of its ports");
    }
    return nullptr;
  }

  std::string url_of() {
    const auto scheme = value("scheme", "http");
    if (scheme != "http" && scheme != "https")
      fail(named("scheme") + " is neither \"http\" nor \"https\"");
    const auto path = value("path", "/mcp");
    if (!path.starts_with('/')) fail(named("path") + " does not begin with /");
    const auto* at = port();
    if (!at) return {};
    if (at->protocol != "TCP") fail("the port is not of TCP");
    if (at->number == 0) fail("the port is no number from 1 to 65535");
    // Its name is that of its pods, which nothing maps ports for.
    if (s_.headless && at->target == 0)
      fail("it is headless, and targetPort of the port is no number");
    const auto number = s_.headless ? at->target : at->number;
    return std::string(scheme) + "://" + s_.name + '.' + s_.space + ".svc" +
           (rules_.domain.empty() ? "" : '.' + rules_.domain) + ':' + std::to_string(number) +
           std::string(path);
  }

  std::string written(const upstream_entry& e, const std::string& url) {
    std::string out = R"({"id":)" + json::quoted(e.id) + R"(,"url":)" + json::quoted(url) +
                      R"(,"namespace":)" + json::quoted(e.space);
    if (!s_.annotations.contains("protocol")) out += R"(,"protocol":"auto")";
    std::string owner, auth, labels;
    const auto add = [](std::string& to, std::string_view key, std::string_view text) {
      if (!to.empty()) to += ',';
      to += json::quoted(key) + ':' + json::quoted(text);
    };
    if (s_.annotations.contains("secret-ref")) add(auth, "strategy", "static");
    for (const auto& [name, text] : s_.annotations) {
      if (name.starts_with(label_prefix)) {
        add(labels, name.substr(label_prefix.size()), text);
        continue;
      }
      const auto member =
          std::ranges::find(annotations_known, name, &known_annotation::name)->member;
      if (member.starts_with("owner/")) add(owner, member.substr(6), text);
      if (member.starts_with("auth/")) add(auth, member.substr(5), text);
      if (member == "protocol") out += R"(,"protocol":)" + json::quoted(text);
    }
    if (!auth.empty() && !s_.annotations.contains("secret-ref"))
      fail(named("secret-header") + " and " + named("secret-scheme") + " need " +
           named("secret-ref"));
    if (!owner.empty()) out += R"(,"owner":{)" + owner + '}';
    if (!labels.empty()) out += R"(,"labels":{)" + labels + '}';
    if (!auth.empty()) out += R"(,"auth":{)" + auth + '}';
    return out + lists() + '}';
  }

  std::string lists() {
    const auto text = value("lists-per-client", "false");
    if (text == "true") return R"(,"listsPerClient":true)";
    if (text != "false") fail(named("lists-per-client") + " is neither \"true\" nor \"false\"");
    return {};
  }

  /// The gateway would refuse the whole document for a secret that no upstream may have.
  std::string forbidden_secret() const {
    const auto secret = value("secret-ref");
    if (secret.empty() || std::ranges::find(rules_.secret_refs, secret) != rules_.secret_refs.end())
      return {};
    return "no Service may name the variable " + json::quoted(secret) +
           " (--secret-refs): choose another with " + named("secret-ref");
  }

  /// The same for a host. By its own reader of URLs and its own lists, so that both mean the same.
  std::string forbidden_host(const std::string& url) const {
    const auto host = http::parse_url(url).value().host;
    if (rules_.upstream_hosts && !rules_.upstream_hosts->covers(host))
      return "the gateway allows no upstream at " + json::quoted(host) + " (--upstream-hosts)";
    if (!value("secret-ref").empty() &&
        (!rules_.credential_hosts || !rules_.credential_hosts->covers(host)))
      return "the gateway shows no credential to " + json::quoted(host) +
             " (--credential-hosts): take " + named("secret-ref") + " away, or have it allowed";
    return {};
  }

  /// By the reader and the rules of the gateway; empty: it is good.
  static std::string judged(const std::string& json) {
    const auto read = config::read_discovered(R"({"upstreams":[)" + json + "]}", {});
    auto problems = read.problems;
    std::erase_if(problems, [](const config::config_problem& p) {
      // Whether it may have a credential is for options to say.
      return p.pointer.ends_with("/auth/strategy");
    });
    if (problems.empty()) problems = config::merge({}, read.upstreams).problems;
    if (problems.empty()) return {};
    constexpr std::string_view first = "/upstreams/0";
    auto& p = problems.front();
    std::string where = p.pointer.starts_with(first) ? p.pointer.substr(first.size()) : p.pointer;
    for (const auto prefix : {config::in_discovery_document, config::with_discovery_document})
      if (p.what.starts_with(prefix)) p.what.erase(0, prefix.size());
    return "the gateway would refuse " + where + ": " + p.what;
  }

  const service& s_;
  const entry_rules& rules_;
  std::optional<std::string> wrong_;
};

}  // namespace

std::string id_of(const service& s) {
  return s.space + "--" + s.name;
}

entry_result entry_of(const service& s, const entry_rules& rules) {
  return reading(s, rules).all();
}

}  // namespace gate::kubernetes
