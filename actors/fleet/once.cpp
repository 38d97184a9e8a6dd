#include "actors/fleet/memory_store.hpp"

namespace gate::fleet {

memory_store::behavior_type memory_store::make_behavior() {
  return {
      [this](const store_once& m) {
        const auto now = clock().now();
        switch (once_.use(m.key, now + m.ttl, now)) {
          case once_ledger::answer::first:
            return stored{stored::answer::first};
          case once_ledger::answer::known:
            return stored{stored::answer::known};
          case once_ledger::answer::full:
            break;
        }
        return stored{stored::answer::full};
      },
  };
}

}  // namespace gate::fleet
