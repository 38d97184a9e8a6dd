#include "simulations/world/instance.hpp"

#include <algorithm>

#include "config/validate.hpp"
#include "simulations/world/complaint.hpp"
#include "simulations/world/far_store.hpp"

namespace gate::sim {
namespace {

/// 2026-11-21T09:30:00Z
constexpr std::chrono::sys_seconds wall_time{std::chrono::seconds{1'795'253'400}};

snapshot_ptr compiled(const std::string& text) {
  auto parsed = config::load(text);
  for (const auto& p : parsed.problems) complain(config::to_line(p));
  return config::compile(std::move(parsed.doc));
}

}  // namespace

fake_ingress::fake_ingress(caf::actor_config& cfg, std::shared_ptr<ingress_log> log)
    : ingress_handle::extend<caf::reacts_to<all_gone>>::base(cfg), log_(std::move(log)) {}

fake_ingress::behavior_type fake_ingress::make_behavior() {
  auto gone = [this] {
    if (!draining_) return;
    draining_->deliver(drained{});
    draining_.reset();
  };
  // A promise that is never kept holds who has made it: us.
  attach_functor([this] { draining_.reset(); });
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

instance::instance(actor_stage& stage, std::shared_ptr<fake_network> net, world_options o,
                   std::size_t household)
    : stage_(stage), net_(std::move(net)), household_(household) {
  if (o.into_minute.count() > 0) stage_.advance(o.into_minute);
  if (o.hold) stage_.hold(true);
  auto parts = parts_for(o);
  const auto upstreams = parts.snapshot->upstreams.size();
  const auto spawn = [&] {
    for (std::size_t n = 0; n < o.units; ++n) {
      ingress_.push_back(std::make_shared<ingress_log>());
      auto ingress = stage_.system().spawn<fake_ingress>(ingress_.back());
      ingress_actors_.push_back(ingress);
      parts.units.push_back({nullptr, ingress,
                             o.egress
                                 ? o.egress(stage_.system(), n)
                                 : egress_handle(stage_.system().spawn<fake_egress>(net_, n))});
      if (o.threshold) parts.units.back().threshold = o.threshold(stage_.system(), n);
      if (o.link)
        parts.units.back().store = stage_.system().spawn<far_store_door>(o.store, o.link);
      else if (o.store)
        parts.units.back().store = stage_.system().spawn<fake_store_door>(o.store);
      if (auto& store = parts.units.back().store; store && o.before_store)
        store = o.before_store(stage_.system(), std::move(store));
    }
    gateway_ = stage_.system().spawn<supervisor::gateway_actor>(nullptr, std::move(parts));
  };
  if (household_ != 0)
    stage_.settle_in(household_, spawn);
  else
    spawn();
  if (o.hold) return;
  stage_.settle();
  if (!o.met) return;
  meet_upstreams(upstreams);
  stage_.settle();
}

supervisor::gateway_parts instance::parts_for(world_options& o) {
  supervisor::gateway_parts parts;
  parts.snapshot = compiled(o.config);
  for (const auto& u : parts.snapshot->upstreams) add_host(u.id);
  for (const auto& host : o.hosts) add_host(host);
  if (o.prepare) o.prepare(*net_);
  secrets_ = std::make_shared<std::map<std::string, std::string>>(std::move(o.secrets));
  wall_ = std::make_shared<std::chrono::system_clock::time_point>(wall_time);
  parts.secrets = o.every_secret;
  if (!parts.secrets)
    parts.secrets = [all = secrets_](std::string_view name) -> std::optional<std::string> {
      auto it = all->find(std::string(name));
      if (it == all->end() || it->second.empty()) return {};
      return it->second;
    };
  std::optional<std::string> signing_key;
  if (const auto& ema = parts.snapshot->doc.auth.ema)
    signing_key = parts.secrets(ema->signing_key_ref);
  parts.authority = identity::make_authority(parts.snapshot->doc, signing_key).value();
  if (const auto& ref = parts.snapshot->doc.server.fleet_key_ref)
    parts.fleet_secret = parts.secrets(*ref);
  parts.metrics = metrics_;
  parts.wall = o.wall ? o.wall : wall_clock([at = wall_] { return *at; });
  parts.random = [dice = std::make_shared<std::mt19937_64>(o.seed)](std::span<std::uint8_t> out) {
    for (auto& byte : out) byte = static_cast<std::uint8_t>((*dice)());
  };
  parts.places = places_for(o, parts.snapshot->doc, parts.secrets);
  config_ = std::make_shared<std::string>(o.config);
  parts.read_config = [text = config_]() -> result<std::string> {
    return {boost::system::in_place_value, *text};
  };
  parts.own_list_bytes = o.own_list_bytes;
  parts.stopped = [this] { stopped_ = true; };
  return parts;
}

std::vector<audits::place> instance::places_for(const world_options& o, const config::document& doc,
                                                const secret_source& secrets) {
  const auto flushed = [this](std::function<void()> done) {
    ++flushes_;
    done();
  };
  const auto seen = [this, flushed] {
    return audits::sink{[this](std::string_view line) {
                          if (!std::exchange(loses_line_, false))
                            audit_.emplace_back(line.substr(0, line.size() - 1));
                          return lost_lines{};
                        },
                        flushed};
  };
  const auto unseen = [flushed] {
    return audits::sink{[](std::string_view) { return lost_lines{}; }, flushed};
  };
  std::vector<audits::place> out;
  if (doc.audit && o.one_trail)
    out = std::get<std::vector<audits::place>>(
        audits::open_places(*doc.audit, secrets, {unseen, [&](const std::string&, std::uint64_t) {
                                                    return result<audits::sink>(unseen());
                                                  }}));
  else if (doc.audit)
    return std::get<std::vector<audits::place>>(
        audits::open_places(*doc.audit, secrets, {seen, {}}));
  if (o.audit) out.push_back({config::sink_type::standard_output, seen(), {}});
  return out;
}

void instance::meet_upstreams(std::size_t upstreams) {
  for (const auto& log : ingress_)
    for (std::size_t i = 0; i < upstreams; ++i)
      caf::anon_send(caf::actor_cast<router_handle>(log->router),
                     introduced{i, true, mcp::usual_features, {}});
}

receipt_ptr instance::arrive(http_request request, std::size_t unit, std::string peer) {
  auto r = std::make_shared<receipt>();
  r->number = next_number_++;
  r->unit = unit;
  r->peer = std::move(peer);
  r->alive = !dead();
  if (dead()) return r;
  r->move = [this, it = std::weak_ptr<receipt>(r)](std::uint8_t to, http_request&& moved) {
    const auto same = it.lock();
    if (!same || to >= ingress_.size()) return false;
    same->unit = to;
    caf::anon_send(ingress_[to]->router,
                   arrival{std::make_shared<fake_exchange>(same, std::move(moved))});
    return true;
  };
  auto& log = *ingress_.at(unit);
  log.receipts.push_back(r);
  stage_.tell(log.router, arrival{std::make_shared<fake_exchange>(r, std::move(request))});
  return r;
}

void instance::bring_body(const receipt_ptr& r, http::defect flaw) {
  if (r->done()) return;
  if (!r->unread || !r->body_asked) throw std::logic_error("nobody asked for this body");
  auto& request = *std::exchange(r->unread, nullptr);
  request.body = std::move(r->body_to_come);
  request.flaw = flaw;
  request.body_follows = false;
  stage_.tell(ingress_.at(r->unit)->router, body_read{r->number});
}

void instance::vanish(const receipt_ptr& r) {
  if (r->done()) return;
  r->alive = false;
  stage_.tell(ingress_.at(r->unit)->router, client_gone{r->number});
}

void instance::die() {
  if (household_ == 0) throw std::logic_error("nobody knows whose actors are whose");
  for (auto& log : ingress_) {
    for (auto& r : log->receipts)
      if (!r->done()) r->alive = false;
    log->router = nullptr;
    log->routers.clear();
  }
  ingress_actors_.clear();
  gateway_ = nullptr;
  stage_.kill(household_);
  for (const auto& [host, upstream] : *net_)
    for (const auto& s : upstream->seen())
      if (!s->finished && stage_.household_of(s->asker.id()) == household_) s->abandoned = true;
}

actor_stage::pending<reloaded> instance::reload(std::string_view config) {
  write_config(config);
  return stage_.ask<reloaded>(gateway_, reload_with{std::string(config)});
}

void instance::write_config(std::string_view config) {
  *config_ = config;
  for (const auto& u : gate::config::load(*config_).doc.upstreams) add_host(u.id);
}

fake_upstream& instance::add_host(const std::string& name) {
  auto& host = (*net_)[name];
  if (!host) host = std::make_unique<fake_upstream>(name);
  return *host;
}

bool instance::tell_drained() {
  bool more = false;
  for (std::size_t n = 0; n < ingress_actors_.size(); ++n) {
    auto& log = *ingress_[n];
    if (!log.draining || !std::ranges::all_of(log.receipts, &receipt::done)) continue;
    log.draining = false;
    caf::anon_send(ingress_actors_[n], all_gone{});
    more = true;
  }
  return more;
}

std::vector<std::string> instance::audit(std::string_view method) const {
  std::vector<std::string> out;
  for (const auto& line : audit_)
    if (json::member(line, "method") == '"' + std::string(method) + '"') out.push_back(line);
  return out;
}

double instance::metric(std::string_view sample) const {
  const auto text = metrics_->expose();
  const auto begin = text.find('\n' + std::string(sample) + ' ');
  if (begin == text.npos) return -1;
  return std::strtod(text.c_str() + begin + sample.size() + 2, nullptr);
}

}  // namespace gate::sim
