#include "actors/kubernetes/list_watch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gate::kubernetes {
namespace {

using std::chrono::milliseconds;

/// What a peer said, for the log.
std::string said_by(const std::string& text) {
  if (text.size() <= limits::cluster_quoted_bytes) return text;
  return text.substr(0, limits::cluster_quoted_bytes) + "...";
}

std::string with_message(std::string sentence, const status& s) {
  return s.message.empty() ? sentence : std::move(sentence) + ": " + said_by(s.message);
}

/// The rule that somebody has to write who reads this.
std::string missing_rule(const selection& of, bool watching) {
  return "the API server answers 403: its account needs a " +
         std::string(of.space.empty() ? "ClusterRole"
                                      : "Role in the namespace \"" + of.space + "\"") +
         " with apiGroups [\"\"], resources [\"services\"], verbs [\"list\", \"watch\"], and a "
         "binding of it; \"" +
         (watching ? "watch" : "list") + "\" was refused";
}

std::string meaning_of(const follow_ended& m) {
  switch (m.how) {
    case follow_end::unreached:
      return "there is no connection to the API server: " + m.why;
    case follow_end::complete:
      return "the API server ended the watch at once";
    case follow_end::broken:
    case follow_end::malformed:
      break;
  }
  return "the answer of the API server broke off: " + m.why;
}

cluster_outcome outcome_of(follow_end how) {
  switch (how) {
    case follow_end::complete:
      return cluster_outcome::complete;
    case follow_end::malformed:
      return cluster_outcome::unreadable;
    case follow_end::unreached:
    case follow_end::broken:
      break;
  }
  return cluster_outcome::broken;
}

}  // namespace

// --- questions -----------------------------------------------------------------------------------

step list_watch::ask_page() {
  state_ = state::listing;
  status_ = 0;
  body_.clear();
  step out;
  out.ask = list_target(which_, items_, next_);
  out.until = limits::cluster_connect + limits::cluster_answer;
  return out;
}

step list_watch::ask_watch() {
  state_ = state::watching;
  status_ = 0;
  body_.clear();
  lines_ = stdio::line_reader(limits::cluster_line_bytes);
  tail_ = 0;
  step out;
  out.ask = watch_target(which_, version_, limits::cluster_watch);
  out.until = limits::cluster_connect + limits::cluster_answer;
  return out;
}

step list_watch::on_waited() {
  return version_.empty() ? ask_page() : ask_watch();
}

// --- answers -------------------------------------------------------------------------------------

step list_watch::on_began(const follow_began& m, time_point now) {
  status_ = m.status;
  retry_after_ = m.retry_after;
  step out;
  if (state_ == state::watching && well()) {
    began_ = now;
    out.in_touch = true;
    out.until = limits::cluster_watch + limits::cluster_watch_grace;
  }
  return out;
}

step list_watch::on_said(std::string_view bytes) {
  if (state_ == state::watching && well()) return read_lines(bytes);
  const auto most = well() ? limits::cluster_page_bytes : limits::cluster_refusal_bytes;
  if (body_.size() + bytes.size() <= most) {
    body_ += bytes;
    return {};
  }
  step out;
  if (!well()) {
    out = refused();  // what it says is known well enough
  } else if (items_ == 1) {
    out = fail(cluster_outcome::unreadable,
               "one Service alone is longer than " + std::to_string(most) + " bytes");
  } else {
    items_ /= 2;
    out = ask_page();
  }
  out.drop = true;
  return out;
}

step list_watch::on_ended(const follow_ended& m, time_point now) {
  const bool complete = m.how == follow_end::complete;
  if (status_ != 0 && !well() && (complete || m.how == follow_end::broken)) return refused();
  if (state_ == state::listing)
    return complete ? read_page() : fail(outcome_of(m.how), meaning_of(m));
  if (well() && now - began_ >= limits::cluster_well) {
    pause_ = milliseconds{0};
    // It was asked to end after a while. What a broken one had begun to say comes again.
    if (complete) {
      auto out = ask_watch();
      out.watch = cluster_outcome::complete;
      return out;
    }
  }
  return fail(outcome_of(m.how), meaning_of(m));
}

step list_watch::on_late(time_point now) {
  if (state_ == state::watching && well() && now - began_ >= limits::cluster_well)
    pause_ = milliseconds{0};
  auto out = fail(cluster_outcome::late,
                  state_ == state::watching && well()
                      ? "the API server has not ended a watch in time: is the connection dead?"
                      : "the API server gave no whole answer in time");
  out.drop = true;
  return out;
}

step list_watch::on_unasked(std::string why) {
  return fail(cluster_outcome::broken, std::move(why));
}

step list_watch::refused() {
  const auto why = read_status(body_);
  const bool watching = state_ == state::watching;
  switch (status_) {
    case 401:
      return fail(cluster_outcome::refused,
                  "the API server answers 401: it does not accept the token, which is read again");
    case 403:
      if (watching) {
        // To ask for nothing but that watch would leave what is known as old as the last list.
        auto out = list_again(cluster_outcome::refused, missing_rule(which_, true));
        out.unwatched = true;
        return out;
      }
      return fail(cluster_outcome::refused, missing_rule(which_, false));
    case 410:
      return list_again(cluster_outcome::expired, watching ? "the version to watch from is too old"
                                                           : "the list took too long");
    default:
      return fail(cluster_outcome::refused,
                  with_message("the API server answers " + std::to_string(status_), why));
  }
}

step list_watch::read_page() {
  auto page = read_list_page(body_);
  body_.clear();
  const auto unreadable = [this](std::string why) {
    return list_again(cluster_outcome::unreadable, "the list of Services " + std::move(why));
  };
  if (!page) return unreadable("can not be read: " + page.error().what);
  keep(page->services);
  if (std::max(page->next.size(), page->version.size()) > limits::cluster_word_bytes)
    return unreadable("names a version or a next page of too many bytes");
  if (++pages_ == limits::cluster_pages && !page->next.empty())
    return unreadable("has more than " + std::to_string(pages_) + " pages");
  next_ = page->next;
  if (!next_.empty()) return ask_page();
  version_ = page->version;
  pages_ = 0;
  auto all = std::exchange(listed_, {});
  auto out = ask_watch();
  out.all = std::move(all);
  out.list = cluster_outcome::complete;
  return out;
}

/// Of too many, whoever came later is not kept: those that are told of are the oldest.
void list_watch::keep(std::vector<service>& more) {
  std::ranges::move(more, std::back_inserter(listed_));
  if (listed_.size() <= limits::cluster_kept) return;
  std::ranges::sort(listed_, {}, &service::created);
  listed_.resize(limits::cluster_kept);
}

step list_watch::read_lines(std::string_view bytes) {
  step out;
  std::optional<std::string> wrong;
  auto how = cluster_outcome::unreadable;
  lines_.feed(bytes, [&](const std::string& line) {
    if (wrong) return;
    auto e = read_watch_event(line);
    if (!e) {
      wrong = "an event of the watch can not be read: " + e.error().what;
    } else if (e->kind == event_kind::error) {
      const bool expired = e->why.code == 410;
      how = expired ? cluster_outcome::expired : cluster_outcome::refused;
      wrong = expired ? "the version to watch from is too old"
                      : with_message("the API server ended the watch with an error", e->why);
      // Where it could go on is not known: nothing tells whether something was left out.
    } else if (e->version.size() > limits::cluster_word_bytes) {
      wrong = "an event of the watch has a version of too many bytes";
    } else {
      version_ = e->version;
      if (e->kind != event_kind::progress)
        out.changes.push_back({e->kind == event_kind::gone, std::move(e->what)});
    }
  });
  // (What the reader drops it counts at the end of the line, which may never come.)
  const auto last = bytes.rfind('\n');
  tail_ = last == bytes.npos ? tail_ + bytes.size() : bytes.size() - last - 1;
  if (!wrong && (lines_.take_too_long() > 0 || tail_ > limits::cluster_line_bytes))
    wrong = "an event of the watch is longer than " + std::to_string(limits::cluster_line_bytes) +
            " bytes";
  if (!wrong) return out;
  auto again = list_again(how, std::move(*wrong));
  again.changes = std::move(out.changes);
  again.drop = true;
  return again;
}

// --- pauses --------------------------------------------------------------------------------------

step list_watch::fail(cluster_outcome how, std::string why) {
  // Pages of a list belong together, and may be had for some minutes only.
  if (state_ == state::listing) {
    next_.clear();
    listed_.clear();
    pages_ = 0;
  }
  step out;
  (state_ == state::listing ? out.list : out.watch) = how;
  out.trouble = std::move(why);
  out.wait = pause();
  return out;
}

step list_watch::list_again(cluster_outcome how, std::string why) {
  auto out = fail(how, std::move(why));
  version_.clear();
  state_ = state::listing;
  out.anew = true;
  return out;
}

milliseconds list_watch::pause() {
  pause_ =
      std::clamp<milliseconds>(pause_ * 2, limits::cluster_first_pause, limits::cluster_pause_most);
  const auto half = static_cast<double>((pause_ / 2).count());
  const auto drawn = pause_ / 2 + milliseconds(static_cast<std::int64_t>(half * draw_()));
  const milliseconds asked =
      std::exchange(retry_after_, std::nullopt).value_or(std::chrono::seconds{0});
  return std::max(drawn, std::min<milliseconds>(asked, limits::cluster_pause_most));
}

}  // namespace gate::kubernetes
