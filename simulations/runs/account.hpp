#pragma once
/// A story as a page tells it: JSON made of its evidence and its trace, and the page with that in
/// it. Pure. Texts of clients and servers are data on the page, whatever they say.
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/runs/plot.hpp"
#include "simulations/stories/sample.hpp"

namespace gate::runs {

/// The one page that simulations/report has, with the account of a story in it.
std::string page_of(const telling& t);

/// Lines of a trace that say at which time they happened: [[ms, text], …].
boost::json::array happenings(std::string_view trace);
boost::json::array samples_of(const std::vector<stories::sample>& all);
/// At most so many bytes of a text.
inline constexpr std::size_t shown_bytes = 600;
std::string shown(std::string_view text);

/// What clients asked, in the order in which they did.
template <class Evidence>
boost::json::array requests_of(const Evidence& e) {
  boost::json::array out;
  for (const auto& r : e.requests) {
    const auto until = std::chrono::duration_cast<std::chrono::milliseconds>(r.answered - e.began);
    const bool seen = r.answered.time_since_epoch().count() != 0;
    out.push_back(boost::json::object{{"number", r.number},
                                      {"what", word_of(r.what)},
                                      {"visitor", r.visitor},
                                      {"upstream", r.upstream},
                                      {"at", r.at.count()},
                                      {"until", seen ? until.count() : -1},
                                      {"status", r.receipt->status},
                                      {"answer", shown(r.receipt->last())}});
  }
  return out;
}

/// What servers saw.
template <class Evidence>
boost::json::array sights_of(const Evidence& e) {
  boost::json::array out;
  for (const auto& [host, seen] : e.seen)
    for (const auto& s : seen)
      out.push_back(boost::json::object{
          {"host", host},
          {"method", s->method},
          {"at", std::chrono::duration_cast<std::chrono::milliseconds>(s->at - e.began).count()},
          {"finished", s->finished},
          {"body", shown(s->body)}});
  return out;
}

template <class Evidence>
std::string account_of(std::string_view kind, std::uint64_t seed, const Evidence& e,
                       const std::vector<std::string>& complaints, std::string_view trace) {
  return boost::json::serialize(boost::json::object{
      {"kind", kind},
      {"seed", seed},
      {"took", std::chrono::duration_cast<std::chrono::milliseconds>(e.ended - e.began).count()},
      {"complaints", boost::json::value_from(complaints)},
      {"requests", requests_of(e)},
      {"sights", sights_of(e)},
      {"happenings", happenings(trace)},
      {"samples", samples_of(e.samples)}});
}

}  // namespace gate::runs
