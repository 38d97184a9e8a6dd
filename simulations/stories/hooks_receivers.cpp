#include "simulations/stories/hooks_receivers.hpp"

#include <array>
#include <cstdlib>

#include "protocol/limits/webhooks.hpp"

namespace gate::hook_churn {
namespace {

using namespace std::chrono_literals;
using sim::reply;
using sim::sight;

/// The number in a mark of an event: chance that is the story's.
std::uint32_t mark_in(const sight& s) {
  const auto at = s.body.find(R"("n":)");
  return at == std::string::npos
             ? 0
             : static_cast<std::uint32_t>(std::strtoul(s.body.c_str() + at + 4, nullptr, 10));
}

reply put_off(int status, const sight& s) {
  auto r = reply::http(status);
  r.retry_after = true;
  r.retry_after_text = std::to_string(1 + mark_in(s) % 40);
  return r;
}

reply after(reply r, std::chrono::milliseconds time) {
  r.after = time;
  return r;
}

/// In the order of the settings (hooks_scenario.cpp).
const std::array<reply (*)(const sight&), sicknesses> ailments{
    [](const sight&) { return reply::http(500); },
    [](const sight&) { return reply::http(404, "who are you?"); },
    [](const sight&) { return reply::http(410); },
    [](const sight& s) { return put_off(429, s); },
    [](const sight& s) { return put_off(503, s); },
    [](const sight&) { return after(reply::http(200), 3s); },
    [](const sight&) { return after(reply::http(200), limits::webhook_answer + 3s); },
    [](const sight&) { return reply::silence(); },
    [](const sight&) { return reply::failure(fetch_end::broken); },
    [](const sight&) { return reply::failure(fetch_end::connect_failed, true); },
    [](const sight&) { return after(reply::failure(fetch_end::connect_timeout, true), 10s); },
    [](const sight&) { return reply::failure(fetch_end::malformed); },
    [](const sight&) { return reply{.end = fetch_end::redirected, .status = 302}; },
    [](const sight& s) { return reply::http(mark_in(s) % 2 == 0 ? 200 : 500); },
};

}  // namespace

std::string host_named(std::size_t n) {
  return "h" + std::to_string(n);
}

void receivers::behave(std::size_t host, manner how, int noted) {
  const auto name = host_named(host);
  auto& it = world_.receiver(name);
  it.always("not JSON-RPC", [this, name, noted, &it, how = std::move(how)](const sight& s) {
    auto r = how(s);
    arrived a;
    a.what = it.seen().back();
    a.host = name;
    a.delivery = s.header("x-gate-delivery");
    a.event = s.header("webhook-id");
    a.attempt =
        static_cast<std::uint32_t>(std::strtoul(s.header("x-gate-attempt").c_str(), nullptr, 10));
    a.wall = std::chrono::floor<std::chrono::milliseconds>(world_.wall());
    a.maybe_late = r.never || r.after >= limits::webhook_answer;
    const bool answers = r.end == fetch_end::complete || r.end == fetch_end::redirected;
    a.code = answers && !a.maybe_late ? r.status : 0;
    if (noted != 0) a.code = noted;
    if (r.retry_after) a.retry_after = std::chrono::seconds(std::stoi(r.retry_after_text));
    for (const auto& other : it.seen())
      if (!other->finished && !other->abandoned && other->asker == s.asker) ++a.beside;
    evidence_.arrivals.push_back(std::move(a));
    return r;
  });
}

void receivers::heal() {
  for (std::size_t n = 0; n < hosts; ++n) cure(n);
}

void receivers::cure(std::size_t host) {
  behave(host, [](const sight&) { return reply::http(204); });
}

void receivers::sicken(std::size_t host, std::uint32_t sickness) {
  behave(host, ailments.at(sickness));
}

void receivers::lie(std::size_t host) {
  behave(
      host, [](const sight&) { return reply::http(200); }, 500);
}

}  // namespace gate::hook_churn
