#pragma once
/// DISCOVERY VISIT: the discovery source is asked for its document, which is judged as the gateway
/// would; the upstreams that it names are visited then, with the credentials that the operator's
/// document lets it name. An EXAMINATION: events in, questions out.
#include <string>
#include <string_view>
#include <vector>

#include "actors/doctor/service_visits.hpp"
#include "config/document.hpp"
#include "config/problem.hpp"
#include "transport/clock.hpp"

namespace gate::doctor {

class discovery_visit final : public asking_visit {
 public:
  /// `own` has a section `discovery`. `bearer`: a header line; empty: none is sent.
  discovery_visit(config::document own, std::string_view bearer, secret_source secrets,
                  wall_clock wall);

 private:
  void judge(const reply& r, notes& say);
  void refuse(const std::vector<config::config_problem>& problems, notes& say) const;
  /// Goes on with the upstreams of the merged document from there on, which stand in `text`.
  void visit(const config::document& merged, std::size_t from, std::string_view text, notes& say);

  config::document own_;
  secret_source secrets_;
  wall_clock wall_;
};

}  // namespace gate::doctor
