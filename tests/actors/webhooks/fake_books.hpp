#pragma once
/// What a fake LEDGER keeps, in memory: webhooks, events and deliveries of organizations, one by
/// one and without bounds. It knows what API asks, as LEDGER would answer it.
#include <algorithm>
#include <string>
#include <vector>

#include "protocol/webhook/changes.hpp"
#include "protocol/webhook/events.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::hooks {

struct fake_books {
  struct kept_delivery {
    std::string organization;
    webhook::delivery it;
  };
  struct kept_event {
    std::string organization;
    ledger::new_event it;
  };
  std::vector<webhook::webhook> webhooks;
  std::vector<kept_event> events;
  std::vector<kept_delivery> deliveries;
  std::size_t step = 1000;  ///< dead letters that one step requeues

  ledger::answer perform(const ledger::request& r) {
    return std::visit([this](const auto& what) { return does(what); }, r);
  }
  void add(std::string organization, std::string hook, std::string id, webhook::state status) {
    webhook::delivery d;
    d.id = std::move(id);
    d.webhook = std::move(hook);
    d.event = "evt";
    d.status = status;
    deliveries.push_back({std::move(organization), std::move(d)});
  }
  kept_delivery* find(const std::string& organization, const std::string& id) {
    const auto at = std::ranges::find_if(deliveries, [&](const kept_delivery& d) {
      return d.organization == organization && d.it.id == id;
    });
    return at == deliveries.end() ? nullptr : &*at;
  }

 private:
  using reason = ledger::refusal::reason;

  static ledger::answer none() {
    return ledger::refusal{reason::not_found, "there is none of this name"};
  }
  webhook::webhook* hook(const std::string& organization, const std::string& id) {
    const auto at = std::ranges::find_if(webhooks, [&](const webhook::webhook& w) {
      return w.organization == organization && w.id == id;
    });
    return at == webhooks.end() ? nullptr : &*at;
  }

  ledger::answer does(const ledger::create_webhook& r) {
    webhooks.push_back(r.what);
    return r.what;
  }
  ledger::answer does(const ledger::read_webhook& r) {
    const auto* w = hook(r.organization, r.id);
    return w ? ledger::answer{*w} : none();
  }
  ledger::answer does(const ledger::list_webhooks& r) {
    ledger::webhook_page out;
    for (const auto& w : webhooks) {
      if (w.organization != r.organization) continue;
      if (out.webhooks.size() == r.most) {
        out.next = 7;
        break;
      }
      out.webhooks.push_back(w);
    }
    return out;
  }
  ledger::answer does(const ledger::patch_webhook& r) {
    auto* w = hook(r.organization, r.id);
    if (!w) return none();
    webhook::apply(*w, {r.events, r.url, r.description, r.enabled}, r.now);
    return *w;
  }
  ledger::answer does(const ledger::delete_webhook& r) {
    const auto n = std::erase_if(webhooks, [&](const webhook::webhook& w) {
      return w.organization == r.organization && w.id == r.id;
    });
    return n > 0 ? ledger::answer{ledger::done{}} : none();
  }
  ledger::answer does(const ledger::rotate_secret& r) {
    auto* w = hook(r.organization, r.id);
    if (!w) return none();
    w->old_secret = std::exchange(w->secret, r.secret);
    w->old_secret_until = r.old_until;
    return *w;
  }
  ledger::answer does(const ledger::accept_events& r) {
    ledger::accepted out;
    for (const auto& e : r.events) {
      const auto before = std::ranges::find_if(events, [&](const kept_event& k) {
        return k.organization == r.organization && k.it.id == e.id;
      });
      const bool same = before != events.end() && before->it.type == e.type &&
                        before->it.fingerprint == e.fingerprint &&
                        (!e.fingerprint.empty() || before->it.body == e.body);
      if (before != events.end() && !same)
        return ledger::refusal{reason::conflict, "there is another event with this id"};
      if (same) {
        out.events.push_back({e.id, 0, true});
        continue;
      }
      events.push_back({r.organization, e});
      std::uint64_t n = 0;
      for (const auto& w : webhooks) {
        if (w.organization != r.organization || !webhook::wants(w.events, e.type)) continue;
        ++n;
        if (std::ranges::find(out.webhooks, w.id) == out.webhooks.end())
          out.webhooks.push_back(w.id);
      }
      out.events.push_back({e.id, n, false});
    }
    return out;
  }
  template <class Wanted>
  ledger::delivery_page page(const std::string& organization, std::size_t most, Wanted&& wanted) {
    ledger::delivery_page out;
    for (const auto& d : deliveries) {
      if (d.organization != organization || !wanted(d.it)) continue;
      if (out.deliveries.size() == most) {
        out.next = 8;
        break;
      }
      out.deliveries.push_back(d.it);
    }
    return out;
  }
  ledger::answer does(const ledger::list_deliveries& r) {
    if (!hook(r.organization, r.webhook)) return none();
    return page(r.organization, r.most, [&](const webhook::delivery& d) {
      return d.webhook == r.webhook && (!r.status || d.status == *r.status);
    });
  }
  ledger::answer does(const ledger::list_dead& r) {
    if (!r.webhook.empty() && !hook(r.organization, r.webhook)) return none();
    return page(r.organization, r.most, [&](const webhook::delivery& d) {
      return d.status == webhook::state::dead && (r.webhook.empty() || d.webhook == r.webhook) &&
             (!r.type || d.type == *r.type);
    });
  }
  ledger::answer does(const ledger::read_delivery& r) {
    const auto* d = find(r.organization, r.id);
    return d ? ledger::answer{ledger::whole_delivery{d->it, {}}} : none();
  }
  ledger::answer does(const ledger::retry_delivery& r) {
    auto* d = find(r.organization, r.id);
    if (!d) return none();
    if (d->it.status == webhook::state::succeeded || d->it.status == webhook::state::delivering)
      return ledger::refusal{reason::conflict, "it has succeeded, or is being made"};
    d->it.status = webhook::state::failed;
    return ledger::requeued{{r.id}, d->it.webhook, false};
  }
  ledger::answer does(const ledger::retry_dead& r) {
    if (!hook(r.organization, r.webhook)) return none();
    ledger::requeued out{{}, r.webhook, false};
    for (auto& d : deliveries) {
      if (d.it.webhook != r.webhook || d.it.status != webhook::state::dead) continue;
      if (out.deliveries.size() == step) {
        out.more = true;
        break;
      }
      d.it.status = webhook::state::failed;
      out.deliveries.push_back(d.it.id);
    }
    return out;
  }
  ledger::answer does(const ledger::delete_dead& r) {
    const auto n = std::erase_if(deliveries, [&](const kept_delivery& d) {
      return d.organization == r.organization && d.it.id == r.id &&
             d.it.status == webhook::state::dead;
    });
    return n > 0 ? ledger::answer{ledger::done{}} : none();
  }
  ledger::answer does(const ledger::dead_stats& r) {
    ledger::dead_counts out;
    for (const auto& d : deliveries)
      if (d.organization == r.organization && d.it.status == webhook::state::dead) {
        ++out.total;
        ++out.by_event[static_cast<std::size_t>(d.it.type)];
        ++out.by_age[0];
      }
    return out;
  }
  ledger::answer does(const ledger::count_all&) {
    ledger::counts out;
    for (const auto& d : deliveries) ++out.deliveries[static_cast<std::size_t>(d.it.status)];
    out.webhooks = webhooks.size();
    return out;
  }
  template <class Other>
  ledger::answer does(const Other&) {
    return ledger::refusal{reason::invalid, "API does not ask for this"};
  }
};

}  // namespace gate::hooks
