#include "actors/ops/activity_actor.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace gate::ops {
namespace {

/// A stream begins with when to come again if it breaks.
constexpr std::string_view beginning = "retry: 2000\n\n";

}  // namespace

activity_actor::activity_actor(caf::actor_config& cfg, wall_clock wall)
    : activity_base::base(cfg), wall_(std::move(wall)) {
  // Of a ROUTER that crashed, the streams are gone.
  set_down_handler([this](const caf::down_msg& m) {
    watched_.erase(m.source);
    std::erase_if(followers_, [&](const follower& f) { return f.it.reader.address() == m.source; });
  });
}

activity_actor::behavior_type activity_actor::make_behavior() {
  return {
      [this](const audit_record& m) {
        log_.add(m.event, wall_());
        arm();
      },
      [this](const read_activity& m) -> activity_page {
        return {std::make_shared<const std::string>(log_.page(m))};
      },
      [this](follow_activity& m) { follow(m); },
      [this](const unfollow_activity& m) {
        std::erase_if(followers_, [&](const follower& f) {
          return f.it.number == m.number && f.it.reader == m.reader;
        });
      },
      [this](tell_streams) {
        armed_ = false;
        tell_all();
      },
  };
}

void activity_actor::on_exit() {
  followers_.clear();
  watched_.clear();
}

void activity_actor::follow(follow_activity& m) {
  const auto of_share =
      std::ranges::count(followers_, m.share, [](const auto& f) { return f.it.share; });
  // As many as one may have are kept for operators, whoever else there is.
  const auto most = m.whose.all ? limits::activity_streams
                                : limits::activity_streams - limits::activity_streams_each;
  if (followers_.size() >= most ||
      static_cast<std::size_t>(of_share) >= limits::activity_streams_each)
    return send(m.reader, activity_told{m.number, nullptr});
  std::string text(beginning);
  if (m.since) text += log_.behind(*m.since, m.whose, limits::activity_answer).text;
  send(m.reader, activity_told{m.number, std::make_shared<const std::string>(std::move(text))});
  if (watched_.insert(m.reader.address()).second) monitor(m.reader);
  followers_.push_back({std::move(m), log_.latest()});
}

/// Those who may see the same, and know the same, are told the same.
void activity_actor::tell_all() {
  using whose = std::tuple<bool, std::string, std::string, std::uint64_t>;
  std::map<whose, std::shared_ptr<const std::string>> texts;
  for (auto& f : followers_) {
    const auto& filter = f.it.whose;
    auto& text = texts[{filter.all, filter.issuer, filter.subject, f.told}];
    if (!text)
      text = std::make_shared<const std::string>(
          log_.behind(f.told, filter, limits::activity_batch).text);
    f.told = log_.latest();
    if (!text->empty()) send(f.it.reader, activity_told{f.it.number, text});
  }
}

void activity_actor::arm() {
  if (followers_.empty() || std::exchange(armed_, true)) return;
  delayed_send(this, limits::activity_gather, tell_streams{});
}

}  // namespace gate::ops
