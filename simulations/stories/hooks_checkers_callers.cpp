// Checkers of what belongs to whom in a story of `gate-hooks`, by what callers asked.
#include <algorithm>
#include <charconv>
#include <set>

#include "protocol/json/scan.hpp"
#include "protocol/webhook/events.hpp"
#include "simulations/stories/hooks_checkers.hpp"
#include "simulations/world/hooks_service.hpp"

namespace gate::hook_churn {
namespace {

using std::to_string;
using kind = request::kind;

std::string_view organization_of(const request& r) {
  return organizations[r.visitor];
}

std::string who_asked(const request& r) {
  return std::string(word_of(r.what)) + " number " + to_string(r.number) + " of " +
         std::string(organization_of(r));
}

std::string text_of(std::string_view raw) {
  std::string out;
  return json::unquote(raw, out) ? out : std::string();
}

/// What is to be done, in words that are the same for a request and for what came of it.
class errand {
 public:
  errand(std::string_view what, std::string_view organization)
      : text_(std::string(what) + " of " + std::string(organization)) {}
  errand& with(std::string_view name, std::string_view value) {
    text_.append(", ").append(name).append(" ").append(value);
    return *this;
  }
  errand& with_wish(std::optional<webhook::event_mask> events, std::optional<bool> enabled) {
    if (events) with("events", to_string(*events));
    if (enabled) with("enabled", *enabled ? "true" : "false");
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Empty: it changes nothing that is kept, or nobody can tell by itself what it does.
std::string errand_of(const request& r) {
  errand out(word_of(r.what), organization_of(r));
  switch (r.what) {
    case kind::create:
      return out.with("at", r.upstream)
          .with_wish(r.wanted.events, {})
          .with("by", r.wanted.secret)
          .take();
    case kind::change:
      return out.with("of", r.about).with_wish(r.wanted.events, r.wanted.enabled).take();
    case kind::remove:
      return out.with("of", r.about).take();
    case kind::rotate:
      return out.with("of", r.about).with("by", r.wanted.secret).take();
    case kind::post:
      for (std::size_t i = 0; i < r.data.size(); ++i)
        out.with(name_of(r.wanted.types.at(i)), r.data[i]);
      return out.take();
    default:
      return {};
  }
}

std::string host_in(std::string_view url) {
  constexpr std::string_view scheme = "https://";
  if (!url.starts_with(scheme)) return std::string(url);
  url.remove_prefix(scheme.size());
  return std::string(url.substr(0, url.find('.')));
}

std::string errand_of(const deed& d) {
  if (const auto* r = std::get_if<ledger::create_webhook>(&d.asked))
    return errand("create", r->what.organization)
        .with("at", host_in(r->what.url))
        .with_wish(r->what.events, {})
        .with("by", r->what.secret)
        .take();
  if (const auto* r = std::get_if<ledger::patch_webhook>(&d.asked))
    return errand("change", r->organization)
        .with("of", r->id)
        .with_wish(r->events, r->enabled)
        .take();
  if (const auto* r = std::get_if<ledger::delete_webhook>(&d.asked))
    return errand("remove", r->organization).with("of", r->id).take();
  if (const auto* r = std::get_if<ledger::rotate_secret>(&d.asked))
    return errand("rotate", r->organization).with("of", r->id).with("by", r->secret).take();
  if (const auto* r = std::get_if<ledger::accept_events>(&d.asked)) {
    errand out("post", r->organization);
    for (const auto& e : r->events) {
      const auto told = text_of(json::member(e.body, "type"));
      out.with(told == name_of(e.type) ? told : told + " kept as " + std::string(name_of(e.type)),
               json::member(e.body, "data"));
    }
    return out.take();
  }
  return {};
}

/// Of those who want dead letters tried again, or one delivery.
bool is_wanted(const evidence& e, std::string_view organization, std::string_view about,
               time_point at) {
  return std::ranges::any_of(e.requests, [&](const request& r) {
    return r.what == kind::retry && organization_of(r) == organization && r.about == about &&
           r.sent <= at;
  });
}

/// What nobody asked for by its content.
void check_rest(const evidence& e, const deed& d, complaints& out) {
  const auto complain = [&](const std::string& what) {
    out.push_back("asked: at " + when(e, d.at) + ' ' + what);
  };
  if (const auto* r = std::get_if<ledger::retry_delivery>(&d.asked))
    if (!is_wanted(e, r->organization, r->id, d.at))
      complain(r->id + " was to be tried again, which nobody of " + r->organization + " wanted");
  if (const auto* r = std::get_if<ledger::retry_dead>(&d.asked))
    if (!is_wanted(e, r->organization, r->webhook, d.at))
      complain("dead letters of " + r->webhook + " were to be tried again, which nobody of " +
               r->organization + " wanted");
  const auto* off = std::get_if<ledger::disable_webhook>(&d.asked);
  if (off == nullptr) return;
  constexpr int gone = 410;
  const auto host = e.host_of.find(off->id);
  const bool said = host != e.host_of.end() && std::ranges::any_of(e.arrivals, [&](const auto& a) {
                      return a.host == host->second && a.code == gone && a.what->at <= d.at;
                    });
  if (off->why != webhook::disabled::gone || !said)
    complain(off->id + " was switched off, and its receiver has not said that it is gone");
}

/// The request that posted what a receiver got, and which of its events; none: nobody posted it.
struct origin {
  const request* of = nullptr;
  std::size_t index = 0;
};
origin origin_of(const std::map<std::uint32_t, const request*>& posts, std::string_view body) {
  constexpr std::string_view begins = R"("n":)";
  constexpr std::uint32_t in_each = 100;
  const auto at = body.find(begins);
  if (at == body.npos) return {};
  std::uint32_t mark = 0;
  std::from_chars(body.data() + at + begins.size(), body.data() + body.size(), mark);
  const auto found = posts.find(mark / in_each);
  if (found == posts.end() || mark % in_each >= found->second->data.size()) return {};
  return {found->second, mark % in_each};
}

}  // namespace

void check_asked(const evidence& e, complaints& out) {
  struct account {
    std::vector<time_point> sent;
    std::size_t answered = 0, done = 0;
  };
  std::map<std::string, account> all;
  for (const auto& r : e.requests) {
    const auto what = errand_of(r);
    if (what.empty()) continue;
    auto& one = all[what];
    one.sent.push_back(r.sent);
    constexpr int ok = 200, multiple = 300;
    if (r.receipt->status >= ok && r.receipt->status < multiple) ++one.answered;
  }
  for (const auto& d : e.deeds) {
    if (std::holds_alternative<ledger::refusal>(d.said)) continue;
    const auto what = errand_of(d);
    if (what.empty()) {
      check_rest(e, d, out);
      continue;
    }
    auto& one = all[what];
    ++one.done;
    const auto wanted = static_cast<std::size_t>(
        std::ranges::count_if(one.sent, [&](auto t) { return t <= d.at; }));
    if (one.done > wanted)
      out.push_back("asked: at " + when(e, d.at) + " the storage did what " + to_string(wanted) +
                    " callers had asked for by then, as number " + to_string(one.done) + ": " +
                    what);
  }
  for (const auto& [what, one] : all)
    if (one.answered > one.done)
      out.push_back("asked: " + to_string(one.answered) + " were told that it is done, and " +
                    to_string(one.done) + " are kept: " + what);
}

void check_tenants(const evidence& e, complaints& out) {
  std::map<std::string, const request*> makers;
  std::map<std::uint32_t, const request*> posts;
  for (const auto& r : e.requests) {
    if (r.what == kind::create) makers[r.upstream] = &r;
    if (r.what == kind::post && !r.again) posts[r.number] = &r;
  }
  for (const auto& a : e.arrivals) {
    const auto from = origin_of(posts, a.what->body);
    const auto maker = makers.find(a.host);
    if (from.of == nullptr || maker == makers.end()) continue;
    const auto whose = organization_of(*maker->second);
    if (organization_of(*from.of) != whose)
      out.push_back("tenants: " + a.host + ", which is of " + std::string(whose) +
                    ", got what was posted by " + who_asked(*from.of) + ": " + a.what->body);
    const auto type = text_of(json::member(a.what->body, "type"));
    if (type != name_of(from.of->wanted.types.at(from.index)))
      out.push_back("tenants: " + a.host + " got as " + type + " what was posted by " +
                    who_asked(*from.of) + " as " +
                    std::string(name_of(from.of->wanted.types.at(from.index))));
  }
  for (const auto& r : e.requests)
    for (const auto& [host, maker] : makers)
      if (maker->visitor != r.visitor && r.receipt->body.find(host + ".test") != std::string::npos)
        out.push_back("tenants: " + who_asked(r) + " was told of " + host + ", which is of " +
                      std::string(organization_of(*maker)) + ": " + r.receipt->body);
}

void check_secrets(const evidence& e, complaints& out) {
  std::set<std::string> secrets;
  for (const auto& r : e.requests)
    if (!r.wanted.secret.empty()) secrets.insert(r.wanted.secret);
  for (const auto organization : organizations)
    secrets.insert(sim::hooks_service::token_of(organization));
  // All of them have one of these within.
  constexpr std::string_view begins[] = {"secret-of-", "token-of-"};
  const auto look = [&](const std::string& text, const std::string& where,
                        const std::string& own = {}) {
    if (std::ranges::none_of(begins, [&](auto b) { return text.find(b) != text.npos; })) return;
    for (const auto& one : secrets)
      if (one != own && text.find(one) != text.npos)
        out.push_back(std::string("secrets: ")
                          .append(where)
                          .append(" has ")
                          .append(one)
                          .append(": ")
                          .append(text));
  };
  for (const auto& line : e.log) look(line, "the log");
  look(e.metrics, "/metrics");
  for (const auto& r : e.requests) {
    // Whoever makes a webhook, or changes its secret, is shown it once.
    const bool shown = r.what == kind::create || r.what == kind::rotate;
    look(r.receipt->headers + r.receipt->body, "the answer of " + who_asked(r),
         shown ? r.wanted.secret : std::string());
  }
  for (const auto& a : e.arrivals) {
    std::string sent = a.what->body;
    for (const auto& lines : {a.what->what->headers, a.what->what->own_headers})
      if (lines) sent += *lines;
    look(sent, a.host + ", which was sent attempt " + to_string(a.attempt) + " of " + a.delivery);
  }
}

}  // namespace gate::hook_churn
