#pragma once
/// Every bound of the gateway that the configuration does not set, with its reason, in
/// protocol/limits/; and all of them by topic, as docs/operations.md lists them.
#include <array>
#include <span>
#include <string_view>

#include "protocol/limits/children.hpp"
#include "protocol/limits/client_files.hpp"
#include "protocol/limits/clients.hpp"
#include "protocol/limits/doctor.hpp"
#include "protocol/limits/hooks_api.hpp"
#include "protocol/limits/kubernetes.hpp"
#include "protocol/limits/ledger.hpp"
#include "protocol/limits/messages.hpp"
#include "protocol/limits/operations.hpp"
#include "protocol/limits/origins.hpp"
#include "protocol/limits/playback.hpp"
#include "protocol/limits/recordings.hpp"
#include "protocol/limits/sessions.hpp"
#include "protocol/limits/store.hpp"
#include "protocol/limits/tokens.hpp"
#include "protocol/limits/webhooks.hpp"

namespace gate::limits {

struct topic {
  std::string_view title;
  std::span<const row> rows;
};
inline constexpr std::array table{
    topic{"Requests and connections of clients", of_clients},
    topic{"Connections to upstreams", of_origins},
    topic{"JSON and MCP", of_messages},
    topic{"Lists", of_lists},
    topic{"Sessions, streams, tasks", of_sessions},
    topic{"Tokens and keys", of_tokens},
    topic{"Rate limits and budgets", of_guards},
    topic{"Credentials for upstreams", of_credentials},
    topic{"The shared store", of_store},
    topic{"Configuration", of_configuration},
    topic{"Isolation", of_isolation},
    topic{"Operations", of_operations},
    topic{"gate doctor", of_doctor},
    topic{"gate-discovery", of_kubernetes},
    topic{"gate-up", of_client_files},
    topic{"Recordings", of_recordings},
    topic{"gate-stdio", of_children},
    topic{"Webhooks", of_webhooks},
    topic{"The API of gate-hooks", of_hooks_api},
    topic{"The ledger of gate-hooks", of_ledger},
    topic{"Reading recordings", of_playback},
};

}  // namespace gate::limits
