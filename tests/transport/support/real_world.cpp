#include "tests/transport/support/real_world.hpp"

#include <map>

#include "protocol/http/url.hpp"
#include "transport/pinned.hpp"

namespace gate::testing {

/// A ROUTER in the test's hands; one per unit.
class real_world::desk final : public pinned<desk_actor::base> {
 public:
  desk(caf::actor_config& cfg, caf::execution_unit* unit, real_world* world, std::size_t id)
      : pinned(cfg, unit), world_(world), id_(id) {}

  behavior_type make_behavior() override {
    return {
        [this](gate::arrival& m) {
          if (world_->judges_ || !m.from->request().body_follows) return arrived(std::move(m.from));
          const auto number = m.from->number();
          if (m.from->read_body(false)) reading_[number] = std::move(m.from);
        },
        [this](const gate::body_read& m) {
          if (world_->judges_) return world_->bodies_.put(m.number);
          if (auto it = reading_.extract(m.number)) arrived(std::move(it.mapped()));
        },
        [this](const client_gone& m) {
          if (!reading_.erase(m.number)) world_->gone_.put(m.number);
        },
        [](errand& m) { m.work(); },
    };
  }
  void on_exit() override { reading_.clear(); }

 private:
  void arrived(exchange_ptr e) {
    if (world_->handler_)
      world_->handler_(e);
    else
      world_->arrivals_.put({id_, std::move(e)});
  }

  real_world* world_;
  std::size_t id_;
  std::map<std::uint64_t, exchange_ptr> reading_;
};

class real_world::asker final : public pinned<fetch_client::base> {
 public:
  asker(caf::actor_config& cfg, caf::execution_unit* unit, real_world* world)
      : pinned(cfg, unit), world_(world) {}

  behavior_type make_behavior() override {
    return {
        [this](fetched& m) { world_->fetched_.put(std::move(m)); },
        [this](streamed& m) { world_->streamed_.put(std::move(m)); },
    };
  }

 private:
  real_world* world_;
};

real_world::real_world(std::size_t threads, std::size_t max_body,
                       const std::function<void(runtime::options&)>& adjust) {
  runtime::options o;
  o.port = 0;
  o.threads = threads;
  o.max_body_bytes = max_body;
  o.egress = spawn_egress;
  if (adjust) adjust(o);
  auto started = runtime::start(o);
  if (!started) throw std::runtime_error(started.error().what);
  runtime_ = std::move(*started);
  for (std::size_t i = 0; i < threads; ++i)
    desks_.push_back(system().spawn<desk>(doors(i).unit, this, i));
  asker_ = system().spawn<asker>(doors().unit, this);
}

real_world::~real_world() {
  // Exchanges belong to their units: what the test left lying is let go of there.
  while (!arrivals_.empty()) release(arrivals_.wait());
  for (auto& d : desks_) caf::anon_send_exit(d, caf::exit_reason::kill);
  caf::anon_send_exit(asker_, caf::exit_reason::kill);
  for (auto& a : more_askers_) caf::anon_send_exit(a, caf::exit_reason::kill);
  more_askers_.clear();
  desks_.clear();
  asker_ = nullptr;
  runtime_.reset();
}

void real_world::on_unit(std::size_t unit, const std::function<void()>& work) {
  std::promise<void> done;
  caf::anon_send(desks_.at(unit), errand{[&] {
                   work();
                   done.set_value();
                 }});
  if (done.get_future().wait_for(patience) != std::future_status::ready)
    throw std::runtime_error("the unit does nothing");
}

// --- INGRESS ------------------------------------------------------------------------------------

void real_world::serve(handler h) {
  handler_ = std::move(h);
  for (std::size_t i = 0; i < desks_.size(); ++i)
    caf::anon_send(doors(i).ingress, gate::serve{desks_[i]});
}

void real_world::serve_by_hand() {
  serve({});
}

void real_world::with(delivery& d, const std::function<void(exchange&)>& what) {
  on_unit(d.unit, [&] { what(*d.from); });
}

void real_world::release(delivery d) {
  on_unit(d.unit, [&] { d.from.reset(); });
}

std::future<void> real_world::drain(std::size_t unit) {
  auto done = std::make_shared<std::promise<void>>();
  auto future = done->get_future();
  std::promise<void> asked;
  system().spawn([&asked, ingress = doors(unit).ingress, done](caf::event_based_actor* self) {
    self->request(ingress, caf::infinite, gate::drain{}).then([done](drained) {
      done->set_value();
    });
    asked.set_value();
  });
  asked.get_future().get();
  on_unit(unit, [] {});  // behind the request: INGRESS has begun
  return future;
}

// --- EGRESS -------------------------------------------------------------------------------------

start_fetch real_world::make_start(const std::string& url, fetch f, destination d) {
  auto parsed = http::parse_url(url);
  if (!parsed) throw std::runtime_error(parsed.error().what);
  d.url = *parsed;
  f.to = std::make_shared<const destination>(std::move(d));
  return {std::make_shared<const fetch>(std::move(f)), asker_};
}

fetch_client real_world::new_asker() {
  more_askers_.push_back(system().spawn<asker>(doors().unit, this));
  return more_askers_.back();
}

void real_world::fetch_from(const std::string& url, fetch f, destination d) {
  caf::anon_send(doors().egress, make_start(url, std::move(f), std::move(d)));
}

void real_world::abandon(std::uint64_t id) {
  caf::anon_send(doors().egress, abandon_fetch{id, asker_});
}

}  // namespace gate::testing
