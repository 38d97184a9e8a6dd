#pragma once
/// The texts of `/api/federation`, made of one report after the other. What viewers see of
/// upstreams, nearly all of the text, is written once a report for all who see the same, and kept
/// until the next one; who they are and what they have used themselves is written for each. So the
/// use of an upstream's limits, too, is as old as the report. Bounded: what further viewers see is
/// written for each of them. Pure; part of HEALTH.
#include <cstdint>
#include <string>
#include <vector>

#include "actors/ops/reports.hpp"
#include "protocol/limits.hpp"

namespace gate::ops {

class federation_texts {
 public:
  explicit federation_texts(std::size_t most_views = limits::federation_views,
                            std::size_t most_bytes = limits::federation_views_bytes)
      : most_(most_views), most_bytes_(most_bytes) {}

  /// From now on they are of this one.
  void renew(report r);
  const report& of() const { return report_; }

  /// What a viewer is told; after the first report.
  std::string text(const process_facts& about, const ask_federation& q);

  /// How much is kept; and how often what viewers see of upstreams has been written at all.
  std::size_t views() const { return views_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t written() const { return written_; }

 private:
  /// Whoever is shown all sees the same; others what their view shows, of the snapshot that tells
  /// what its numbers mean. Both are held, so that no other one has their address.
  struct view {
    bool all = false;
    config::snapshot_ptr under;
    config::view_ptr shown;
    upstreams_seen what;
  };
  report report_;
  std::vector<view> views_;
  std::size_t most_, most_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace gate::ops
