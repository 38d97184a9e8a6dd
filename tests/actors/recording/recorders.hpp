#pragma once
/// RECORDERs before doors that a test plays: what they write down, and what they hand on.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "actors/recording/egress_recorder_actor.hpp"
#include "actors/recording/ingress_recorder_actor.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "tests/support/actor_test.hpp"

namespace gate::recording::testing {

using namespace gate::sim;

struct kept_lines final : recording_file {
  void write(std::string_view line) override { lines.emplace_back(line); }
  bool over() const noexcept override { return ended; }
  void give_up() override { ended = true; }
  void end(ending) override { ended = true; }
  std::vector<std::string> lines;
  bool ended = false;

  /// Kinds and numbers: `request 7, answer 7`.
  std::string story() const {
    std::string out;
    for (const auto& l : lines) {
      const auto o = boost::json::parse(l).as_object();
      out.append(out.empty() ? "" : ", ").append(o.at("e").as_string());
      out.append(" ").append(std::to_string(o.at("n").to_number<int>()));
    }
    return out;
  }
  boost::json::object nth(std::size_t i) const {
    return boost::json::parse(lines.at(i)).as_object();
  }
};

class recorders : public actor_test {
 public:
  recorders() {
    auto c = std::make_shared<common>();
    c->file = file;
    c->secrets = secrets;
    c->now = &std::chrono::steady_clock::now;
    c->began = c->now();
    c->key = "key";
    where = std::make_shared<journal>(c, 3);
  }

  std::shared_ptr<kept_lines> file = std::make_shared<kept_lines>();
  std::shared_ptr<secret_register> secrets = std::make_shared<secret_register>();
  journal_ptr where;
};

inline fetched done(std::uint64_t id) {
  fetched m;
  m.id = id;
  return m;
}
inline streamed said(std::uint64_t id) {
  streamed m;
  m.id = id;
  m.events.push_back({"", "data", "", false});
  return m;
}

/// What EGRESS was asked.
struct asked {
  std::vector<start_fetch> started;
  std::vector<std::uint64_t> abandoned;
};

class egress_recorders : public recorders {
 public:
  egress_recorders() {
    egress = system().spawn([this]() -> egress_handle::behavior_type {
      return {[this](start_fetch& m) { door.started.push_back(std::move(m)); },
              [this](const abandon_fetch& m) { door.abandoned.push_back(m.id); }};
    });
    recorder = system().spawn<egress_recorder_actor>(nullptr, egress, where);
  }
  ~egress_recorders() override { clear_stage(); }

  fetch_client asker(std::vector<std::string>& heard) {
    return system().spawn([&heard]() -> fetch_client::behavior_type {
      return {[&heard](const fetched& m) { heard.push_back("fetched " + std::to_string(m.id)); },
              [&heard](const streamed& m) { heard.push_back("streamed " + std::to_string(m.id)); }};
    });
  }
  void start(const fetch_client& who, std::uint64_t id, std::string body = {}) {
    auto f = std::make_shared<fetch>();
    f->id = id;
    f->to = std::make_shared<const destination>(
        destination{.url = *http::parse_url("http://h:1/mcp?token=t0ken")});
    f->headers = std::make_shared<const std::string>(
        "Accept: */*\r\nAuthorization: Bearer opaque-credential\r\n");
    f->own_headers = std::make_shared<const std::string>("Mcp-Session-Id: its-session\r\n");
    f->before = std::move(body);
    tell(recorder, start_fetch{f, who});
  }

  asked door;
  egress_handle egress;
  egress_handle recorder;
};

class ingress_recorders : public recorders {
 public:
  ingress_recorders() {
    ingress = system().spawn([this]() -> ingress_handle::behavior_type {
      return {[this](serve& m) { served = std::move(m.router); }, [](adopt&) {},
              [this](drain) {
                said += "drain ";
                return drained{};
              },
              [this](cut) { said += "cut "; }};
    });
    recorder = system().spawn<ingress_recorder_actor>(nullptr, ingress, where);
  }
  ~ingress_recorders() override {
    arrived.clear();
    clear_stage();
  }

  arrivals_handle router() {
    return system().spawn([this]() -> arrivals_handle::behavior_type {
      return {[this](arrival& m) { arrived.push_back(std::move(m.from)); },
              [this](const body_read& m) { said += "body " + std::to_string(m.number) + " "; },
              [this](const client_gone& m) { said += "gone " + std::to_string(m.number) + " "; }};
    });
  }
  receipt_ptr arrive(http_request r) {
    auto to = std::make_shared<receipt>();
    to->number = ++last;
    to->peer = "10.0.0.1";
    tell(served, arrival{std::make_shared<fake_exchange>(to, std::move(r))});
    return to;
  }
  receipt_ptr arrive() {
    return arrive(
        make_request(verb::post, "/mcp", {"Authorization: Bearer opaque-credential"}, "{}"));
  }

  ingress_handle ingress;
  ingress_handle recorder;
  arrivals_handle served;
  std::vector<exchange_ptr> arrived;
  std::string said;
  std::uint64_t last = 6;
};

}  // namespace gate::recording::testing
