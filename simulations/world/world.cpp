#include "simulations/world/world.hpp"

#include <algorithm>
#include <charconv>

#include "config/validate.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/complaint.hpp"
#include "transport/log.hpp"

namespace gate::sim {
namespace {

/// 2026-11-21T09:30:00Z
constexpr std::chrono::sys_seconds wall_time{std::chrono::seconds{1'795'253'400}};

std::vector<std::string>& log_lines() {
  static std::vector<std::string> lines;
  return lines;
}

snapshot_ptr compiled(const std::string& text) {
  auto parsed = config::load(text);
  for (const auto& p : parsed.problems) complain(config::to_line(p));
  return config::compile(std::move(parsed.doc));
}

}  // namespace

fake_ingress::fake_ingress(caf::actor_config& cfg, std::shared_ptr<ingress_log> log)
    : ingress_actor::extend<caf::reacts_to<all_gone>>::base(cfg), log_(std::move(log)) {}

fake_ingress::behavior_type fake_ingress::make_behavior() {
  auto gone = [this] {
    if (!draining_) return;
    draining_->deliver(drained{});
    draining_.reset();
  };
  return {
      [this](serve& m) {
        log_->router = m.router;
        log_->routers.push_back(std::move(m.router));
      },
      [](adopt&) {},
      [this](drain) -> caf::result<drained> {
        log_->draining = true;
        auto promise = make_response_promise<drained>();
        draining_ = promise;
        return promise;
      },
      [this, gone](cut) {
        log_->cut = true;
        for (auto& r : log_->receipts)
          if (!r->done()) r->alive = false;
        gone();
      },
      [gone](all_gone) { gone(); },
  };
}

world::world(world_options o) {
  log_lines().clear();
  log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
  hold(o.hold);
  supervisor::gateway_parts parts;
  parts.snapshot = compiled(o.config);
  for (const auto& u : parts.snapshot->upstreams)
    net_->emplace(u.id, std::make_unique<fake_upstream>(u.id));
  for (const auto& host : o.hosts) net_->emplace(host, std::make_unique<fake_upstream>(host));
  if (o.prepare) o.prepare(*net_);
  secrets_ = std::make_shared<std::map<std::string, std::string>>(std::move(o.secrets));
  wall_ = std::make_shared<std::chrono::system_clock::time_point>(wall_time);
  parts.secrets = [all = secrets_](std::string_view name) -> std::optional<std::string> {
    auto it = all->find(std::string(name));
    if (it == all->end() || it->second.empty()) return {};
    return it->second;
  };
  std::optional<std::string> signing_key;
  if (const auto& ema = parts.snapshot->doc.auth.ema)
    signing_key = parts.secrets(ema->signing_key_ref);
  parts.authority = identity::make_authority(parts.snapshot->doc, signing_key).value();
  for (std::size_t n = 0; n < o.units; ++n) {
    ingress_.push_back(std::make_shared<ingress_log>());
    auto ingress = system().spawn<fake_ingress>(ingress_.back());
    ingress_actors_.push_back(ingress);
    parts.units.push_back({nullptr, ingress, system().spawn<fake_egress>(net_, n)});
    if (o.store) parts.units.back().store = system().spawn<fake_store_door>(o.store);
  }
  parts.metrics = metrics_;
  parts.wall = [at = wall_] { return *at; };
  parts.random = [dice = std::make_shared<std::mt19937_64>(o.seed)](std::span<std::uint8_t> out) {
    for (auto& byte : out) byte = static_cast<std::uint8_t>((*dice)());
  };
  if (o.audit)
    parts.audit = {[this](std::string_view line) {
                     audit_.emplace_back(line.substr(0, line.size() - 1));
                     return std::size_t{0};
                   },
                   [this] { ++flushes_; }};
  config_ = std::make_shared<std::string>(o.config);
  parts.read_config = [text = config_]() -> result<std::string> {
    return {boost::system::in_place_value, *text};
  };
  parts.own_list_bytes = o.own_list_bytes;
  parts.stopped = [this] { stopped_ = true; };
  const auto upstreams = parts.snapshot->upstreams.size();
  gateway_ = system().spawn<supervisor::gateway_actor>(nullptr, std::move(parts));
  if (o.hold) return;
  settle();
  if (!o.met) return;
  for (const auto& log : ingress_)
    for (std::size_t i = 0; i < upstreams; ++i)
      caf::anon_send(caf::actor_cast<router_actor>(log->router),
                     introduced{i, true, mcp::usual_features, {}});
  settle();
}

world::~world() {
  clear_stage();
  log::redirect(nullptr);
}

receipt_ptr world::arrive(http_request request, std::size_t unit, std::string peer) {
  auto r = std::make_shared<receipt>();
  r->number = next_number_++;
  r->unit = unit;
  r->peer = std::move(peer);
  auto& log = *ingress_.at(unit);
  log.receipts.push_back(r);
  tell(log.router, arrival{std::make_shared<fake_exchange>(r, std::move(request))});
  return r;
}

void world::bring_body(const receipt_ptr& r, http::defect flaw) {
  if (r->done()) return;
  if (!r->unread || !r->body_asked) throw std::logic_error("nobody asked for this body");
  auto& request = *std::exchange(r->unread, nullptr);
  request.body = std::move(r->body_to_come);
  request.flaw = flaw;
  request.body_follows = false;
  tell(ingress_.at(r->unit)->router, body_read{r->number});
}

void world::vanish(const receipt_ptr& r) {
  if (r->done()) return;
  r->alive = false;
  tell(ingress_.at(r->unit)->router, client_gone{r->number});
}

world::pending<reloaded> world::reload(std::string_view config) {
  write_config(config);
  return ask<reloaded>(gateway_, reload_with{std::string(config)});
}

void world::write_config(std::string_view config) {
  *config_ = config;
  for (const auto& u : gate::config::load(*config_).doc.upstreams) add_host(u.id);
}

fake_upstream& world::add_host(const std::string& name) {
  auto& host = (*net_)[name];
  if (!host) host = std::make_unique<fake_upstream>(name);
  return *host;
}

bool world::when_quiet() {
  bool more = false;
  for (std::size_t n = 0; n < ingress_.size(); ++n) {
    auto& log = *ingress_[n];
    if (!log.draining || !std::ranges::all_of(log.receipts, &receipt::done)) continue;
    log.draining = false;
    caf::anon_send(ingress_actors_[n], all_gone{});
    more = true;
  }
  return more;
}

std::vector<std::string> world::audit(std::string_view method) const {
  std::vector<std::string> out;
  for (const auto& line : audit_)
    if (json::member(line, "method") == '"' + std::string(method) + '"') out.push_back(line);
  return out;
}

const std::vector<std::string>& world::log() {
  return log_lines();
}

std::size_t world::logged(std::string_view part) {
  return static_cast<std::size_t>(std::ranges::count_if(
      log_lines(), [&](const std::string& line) { return line.find(part) != line.npos; }));
}

double world::metric(std::string_view sample) const {
  const auto text = metrics_->expose();
  const auto begin = text.find('\n' + std::string(sample) + ' ');
  if (begin == text.npos) return -1;
  return std::strtod(text.c_str() + begin + sample.size() + 2, nullptr);
}

client& client::initialize(std::string_view wanted) {
  auto r = request("0", "initialize",
                   R"({"protocolVersion":")" + std::string(wanted) + R"(","capabilities":)" +
                       capabilities + R"(,"clientInfo":{"name":"test","version":"1"}})");
  if (r->status != 200) complain("initialize: " + r->body);
  session = r->header("mcp-session-id");
  if (session.empty()) complain("initialize gave no session");
  version = wanted;
  auto ready = notify("notifications/initialized");
  if (ready->status != 202) complain("notifications/initialized: " + ready->body);
  return *this;
}

receipt_ptr client::send(verb method, std::string body) {
  std::vector<std::string> lines{"Host: " + host, "Accept: " + accept};
  if (method == verb::post) {
    lines.push_back("Content-Type: " + content_type);
    lines.push_back("Content-Length: " + std::to_string(body.size()));
  }
  if (!token.empty()) lines.push_back("Authorization: Bearer " + token);
  if (!session.empty()) lines.push_back("Mcp-Session-Id: " + session);
  if (!version.empty()) lines.push_back("MCP-Protocol-Version: " + version);
  lines.insert(lines.end(), more_headers.begin(), more_headers.end());
  auto r = make_request(method, path, lines, std::move(body));
  r.body_follows = header_first;
  return world_->arrive(std::move(r), unit_, peer);
}

receipt_ptr client::request(std::string_view raw_id, std::string_view method,
                            std::string_view params) {
  return post(jsonrpc::request(raw_id, method, params));
}

receipt_ptr client::notify(std::string_view method, std::string_view params) {
  return post(jsonrpc::request({}, method, params));
}

receipt_ptr client::call(std::string_view raw_id, std::string_view name,
                         std::string_view more_params) {
  std::string params = R"({"name":")" + std::string(name) + '"';
  if (!more_params.empty()) params.append(",").append(more_params);
  return request(raw_id, "tools/call", params + '}');
}

receipt_ptr client::list(std::string_view raw_id, std::string_view cursor) {
  return request(raw_id, "tools/list",
                 cursor.empty() ? std::string{} : R"({"cursor":)" + std::string(cursor) + '}');
}

receipt_ptr client::cancel(std::string_view raw_id) {
  return notify("notifications/cancelled", R"({"requestId":)" + std::string(raw_id) + '}');
}

std::string unavailable(std::string_view id, std::string_view upstream, std::string_view why) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"error":{"code":-32041,"message":"upstream \")" + std::string(upstream) +
         R"(\" unavailable ()" + std::string(why) +
         R"_()","data":{"gate":{"reason":"upstream_down","upstream":")_" + std::string(upstream) +
         R"("}}}})";
}

}  // namespace gate::sim
