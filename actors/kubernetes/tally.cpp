#include "actors/kubernetes/tally.hpp"

#include <array>

namespace gate::kubernetes {

tally::tally(metrics& m, time_point now)
    : lists_(m, metric::kubernetes_lists),
      watches_(m, metric::kubernetes_watches),
      left_out_(m, metric::kubernetes_left_out),
      upstreams_(m.get(metric::kubernetes_upstreams)),
      bytes_(m.get(metric::kubernetes_document_bytes)),
      out_of_touch_(m.get(metric::kubernetes_out_of_touch)),
      heard_(now) {}

void tally::took(const step& s, time_point now) {
  if (s.list) lists_[*s.list].add();
  if (s.watch) watches_[*s.watch].add();
  if (s.in_touch) {
    in_touch_ = true;
  } else if (s.all || (in_touch_ && !s.trouble.empty())) {
    in_touch_ = false;
    heard_ = now;
  }
}

void tally::published(const made_document& d) {
  upstreams_.set(static_cast<double>(d.upstreams));
  bytes_.set(static_cast<double>(d.text.size()));
  std::array<std::size_t, absences.size()> by_kind{};
  for (const auto& l : d.out) ++by_kind[static_cast<std::size_t>(l.kind)];
  for (std::size_t i = 0; i < by_kind.size(); ++i)
    left_out_[static_cast<absence>(i)].set(static_cast<double>(by_kind[i]));
}

void tally::age(time_point now) const {
  const std::chrono::duration<double> since = now - heard_;
  out_of_touch_.set(in_touch_ ? 0 : since.count());
}

}  // namespace gate::kubernetes
