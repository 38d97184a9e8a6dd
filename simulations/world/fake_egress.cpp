#include "simulations/world/fake_egress.hpp"

#include <array>
#include <caf/send.hpp>

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"

namespace gate::sim {
namespace {

std::string with_id(std::string text, const std::string& id) {
  for (std::size_t at = 0; (at = text.find("$id", at)) != text.npos; at += id.size())
    text.replace(at, 3, id);
  return text;
}

std::string fetch_text(const fetch& f) {
  std::string out = f.before;
  out += f.first;
  out += f.second;
  out += f.after;
  return out;
}

std::string header_of(const fetch& f, std::string_view name) {
  for (const auto& lines : {f.headers, f.own_headers}) {
    std::string_view rest = lines ? std::string_view(*lines) : std::string_view{};
    while (!rest.empty()) {
      const auto line = rest.substr(0, rest.find("\r\n"));
      const auto colon = line.find(':');
      if (http::same_name(line.substr(0, colon), name)) return std::string(line.substr(colon + 2));
      rest.remove_prefix(line.size() + 2);
    }
  }
  return {};
}

fetched end_of(const sight& s, fetch_end end) {
  fetched f;
  f.id = s.what->id;
  f.end = end;
  return f;
}

}  // namespace

std::string sight::param(std::string_view key) const {
  return std::string(json::member(json::member(body, "params"), key));
}

std::string sight::header(std::string_view name) const {
  return header_of(*what, name);
}

fake_upstream::fake_upstream(std::string id) : id_(std::move(id)) {
  tools.push_back(R"({"name":"echo","description":"of )" + id_ +
                  R"(","inputSchema":{"type":"object"}})");
}

std::vector<sight_ptr> fake_upstream::seen(std::string_view method) const {
  std::vector<sight_ptr> out;
  for (const auto& s : seen_)
    if (s->method == method) out.push_back(s);
  return out;
}

sight_ptr fake_upstream::last(std::string_view method) const {
  auto all = seen(method);
  return all.empty() ? nullptr : all.back();
}

std::vector<sight_ptr> fake_upstream::under_way(std::string_view method) const {
  auto out = seen(method);
  std::erase_if(out, [](const sight_ptr& s) { return s->finished || s->abandoned; });
  return out;
}

void fake_upstream::push(const sight_ptr& s, std::string data) {
  if (s->finished || s->abandoned) return;
  s->spoke = true;
  streamed m;
  m.id = s->what->id;
  m.session_id = s->session;
  m.events.push_back({{}, with_id(std::move(data), s->id), {}, false});
  caf::anon_send(s->asker, std::move(m));
}

void fake_upstream::push(const sight_ptr& s, std::string id, std::string data,
                         std::optional<std::uint32_t> retry) {
  if (s->finished || s->abandoned) return;
  streamed m;
  m.id = s->what->id;
  m.session_id = s->session;
  m.retry_ms = retry;
  m.events.push_back({{}, with_id(std::move(data), s->id), std::move(id), true});
  caf::anon_send(s->asker, std::move(m));
}

void fake_upstream::close(const sight_ptr& s, fetch_end end, std::optional<std::uint32_t> retry) {
  if (s->finished || s->abandoned) return;
  s->finished = true;
  auto f = end_of(*s, end);
  f.retry_ms = retry;
  f.status = 200;
  f.media = media::events;
  caf::anon_send(s->asker, std::move(f));
}

void fake_upstream::answer(const sight_ptr& s, reply r) {
  if (s->finished || s->abandoned) return;
  if (r.open || !r.events.empty() || !r.primed.empty()) {
    if (s->method == "GET") {
      streamed head;
      head.id = s->what->id;
      caf::anon_send(s->asker, std::move(head));
    }
    if (!r.primed.empty()) {
      streamed m;
      m.id = s->what->id;
      m.session_id = r.session;
      m.retry_ms = r.retry;
      m.events.push_back({{}, {}, r.primed, true});
      caf::anon_send(s->asker, std::move(m));
    }
    s->spoke = true;
    for (auto& e : r.events) {
      streamed m;
      m.id = s->what->id;
      m.session_id = r.session;
      m.events.push_back({{}, with_id(e, s->id), {}, false});
      caf::anon_send(s->asker, std::move(m));
    }
    if (!r.open) close(s, r.end, r.retry);
    return;
  }
  s->finished = true;
  auto f = end_of(*s, r.end);
  f.status = r.status;
  f.untouched = r.untouched;
  f.why = r.why;
  f.retry_after = r.retry_after;
  f.retry_after_text = r.retry_after_text;
  f.session_id = r.session;
  f.media = r.body.empty() ? media::none : media::json;
  f.body = std::make_shared<const std::string>(with_id(r.body, s->id));
  caf::anon_send(s->asker, std::move(f));
}

void fake_upstream::announce(const std::string& data) {
  for (const auto& s : seen_)
    if (!s->finished && !s->abandoned && s->method == "GET") push(s, data);
}

/// Strict, as its revision asks of servers.
reply fake_upstream::greeting() {
  auto r =
      reply::result(R"({"protocolVersion":")" + version + R"(","capabilities":)" + capabilities +
                    (instructions.empty() ? "" : R"(,"instructions":)" + instructions) +
                    R"(,"serverInfo":{"name":")" + id_ + R"(","version":"1"}})");
  if (sessions) known_.insert(r.session = id_ + "-session-" + std::to_string(++session_count_));
  return r;
}

reply fake_upstream::decide_stateless(const sight& s) {
  const auto wrong = [&](const std::string& why) {
    wrongs.push_back(s.method + ": " + why);
    return reply{.status = 400,
                 .body = R"({"jsonrpc":"2.0","id":$id,"error":{"code":-32020,"message":"m"}})"};
  };
  const auto meta = s.param("_meta");
  const auto version = json::member(meta, "io.modelcontextprotocol/protocolVersion");
  if (s.method == "GET" || s.method == "DELETE") {
    wrongs.push_back(s.method);
    return reply::http(405);
  }
  if (version.empty() && s.method == "initialize" && greets) return greeting();
  if (version.empty() && s.method == "initialize")
    return {.status = 400,
            .body = R"({"jsonrpc":"2.0","id":$id,"error":{"code":-32022,"message":"m",)"
                    R"("data":{"supported":["2026-07-28"]}}})"};
  if (version != "\"2026-07-28\"" || s.header("mcp-protocol-version") != "2026-07-28")
    return wrong("version");
  if (!json::member(meta, "io.modelcontextprotocol/clientCapabilities").starts_with('{'))
    return wrong("capabilities");
  if (s.header("mcp-method") != s.method) return wrong("Mcp-Method");
  if (!s.session.empty()) return wrong("a session");
  std::string name;
  const bool by_uri = s.method == "resources/read", by_task = s.method.starts_with("tasks/");
  json::unquote(s.param(by_uri ? "uri" : by_task ? "taskId" : "name"), name);
  if ((by_uri || by_task || s.method == "tools/call" || s.method == "prompts/get") &&
      s.header("mcp-name") != name)
    return wrong("Mcp-Name");
  if (auto& queue = next_[s.method]; !queue.empty()) {
    auto r = queue.front();
    queue.pop_front();
    return r;
  }
  if (auto it = always_.find(s.method); it != always_.end()) return it->second(s);
  if (s.method == "server/discover")
    return reply::result(R"({"resultType":"complete","supportedVersions":["2026-07-28"],)"
                         R"("ttlMs":0,"cacheScope":"private","capabilities":)" +
                         capabilities + "}");
  if (s.method == "subscriptions/listen")
    return {.events = {R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)"
                       R"("params":{"notifications":)" +
                       s.param("notifications") + "}}"},
            .open = true};
  for (const auto& l : mcp::lists)
    if (s.method == l.method && l.kind != mcp::list_kind::tasks) return list_page(s, l.kind);
  if (s.method == "tools/call")
    return reply::result(R"({"resultType":"complete","content":[{"type":"text","text":")" + id_ +
                         R"("}],"name":)" + s.param("name") + "}");
  for (auto method : {"prompts/get", "resources/read", "completion/complete"})
    if (s.method == method)
      return reply::result(R"({"resultType":"complete","from":")" + id_ + "\"}");
  return {.status = 404,
          .body = R"({"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"m"}})"};
}

reply fake_upstream::decide(sight& s) {
  if (stateless) return decide_stateless(s);
  if (auto& queue = next_[s.method]; !queue.empty()) {
    auto r = queue.front();
    queue.pop_front();
    return r;
  }
  if (auto it = always_.find(s.method); it != always_.end()) return it->second(s);
  if (s.method == "initialize") {
    if (known_.size() >= room) return {.status = 503, .body = "{}", .retry_after = true};
    return greeting();
  }
  s.stray = sessions && !known_.contains(s.session);
  if (s.stray) return unknown_session;
  if (s.method == "GET") return streams ? reply{.open = true} : reply::http(405);
  if (s.method == "DELETE") {
    known_.erase(s.session);
    return reply::http(200);
  }
  if (s.method == "ping") return reply::result("{}");
  for (const auto& l : mcp::lists)
    if (s.method == l.method) return list_page(s, l.kind);
  if (s.method == "tools/call")
    return reply::result(R"({"content":[{"type":"text","text":")" + id_ + R"("}],"name":)" +
                         s.param("name") + "}");
  for (auto method : {"prompts/get", "resources/read", "resources/subscribe",
                      "resources/unsubscribe", "completion/complete", "logging/setLevel"})
    if (s.method == method) return reply::result(R"({"from":")" + id_ + "\"}");
  if (s.id.empty() || s.method == "response") return reply::http(202);
  return reply::error(R"({"code":-32601,"message":"Method not found"})");
}

reply fake_upstream::list_page(const sight& s, mcp::list_kind k) const {
  const auto& items = *std::array{&tools, &prompts, &resources, &templates, &tasks}[std::size_t(k)];
  std::string cursor;
  json::unquote(s.param("cursor"), cursor);
  const std::size_t from = cursor.empty() ? 0 : std::stoul(cursor);
  std::string out = R"({")" + std::string(mcp::shape(k).member) + R"(":[)";
  for (auto i = from; i < std::min(items.size(), from + page_size); ++i)
    out += (i > from ? "," : "") + items[i];
  out += ']';
  if (from + page_size < items.size())
    out += R"(,"nextCursor":")" + std::to_string(from + page_size) + '"';
  return reply::result(out + '}');
}

fake_egress::fake_egress(caf::actor_config& cfg, std::shared_ptr<fake_network> net,
                         std::size_t unit)
    : egress_handle::extend<caf::reacts_to<reply_due>>::base(cfg),
      net_(std::move(net)),
      unit_(unit) {}

fake_egress::behavior_type fake_egress::make_behavior() {
  return {
      [this](start_fetch& m) {
        auto s = std::make_shared<sight>();
        s->what = m.what;
        s->asker = m.asker;
        s->unit = unit_;
        s->at = clock().now();
        s->body = fetch_text(*m.what);
        s->session = header_of(*m.what, "mcp-session-id");
        if (m.what->method == verb::get) {
          s->method = "GET";
        } else if (m.what->method == verb::del) {
          s->method = "DELETE";
        } else if (auto read = jsonrpc::read(s->body)) {
          s->method = read->kind == jsonrpc::kind::response ? "response" : read->method;
          s->id = read->id;
        } else {
          s->method = "not JSON-RPC";
        }
        const auto host = m.what->to->url.host;
        auto& upstream = *net_->at(host.substr(0, host.find('.')));
        upstream.seen_.push_back(s);
        by_number_.emplace(s->what->id, s);
        auto what = std::make_shared<const reply>(upstream.decide(*s));
        if (m.what->method == verb::del) {
          if (upstream.ends_wait) return;
          const auto given_up = std::make_shared<const reply>(reply::failure(fetch_end::broken));
          delayed_send(this, limits::goodbye, reply_due{s, given_up});
        }
        for (const auto& more : what->later) delayed_send(this, more->after, reply_due{s, more});
        if (what->never) return;
        if (what->after.count() == 0) return fake_upstream::answer(s, *what);
        delayed_send(this, what->after, reply_due{s, what});
      },
      [this](const abandon_fetch& m) {
        const auto [from, to] = by_number_.equal_range(m.id);
        for (auto it = from; it != to; ++it)
          if (auto& s = *it->second; s.asker == m.asker && !s.finished) s.abandoned = true;
      },
      [](const reply_due& m) { fake_upstream::answer(m.to, *m.what); },
  };
}

}  // namespace gate::sim
