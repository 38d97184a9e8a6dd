#pragma once
/// What an API server of Kubernetes says: a page of a list of Services, an event of a watch, a
/// refusal (Status). And how these are asked for. Pure.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/kubernetes/service.hpp"

namespace gate::kubernetes {

// --- questions -----------------------------------------------------------------------------------

/// Which Services.
struct selection {
  std::string base;            ///< path below which the API is; empty, or begins with `/`
  std::string space;           ///< a namespace of the cluster; empty: all
  std::string label_selector;  ///< empty: all
};

/// Path and query of a page. `next`: what the page before said; empty: the first one.
std::string list_target(const selection& of, std::size_t items, std::string_view next);
/// Of a watch that begins behind `version`, and that the server is asked to end after that time.
std::string watch_target(const selection& of, std::string_view version, std::chrono::seconds until);

// --- answers -------------------------------------------------------------------------------------

struct list_page {
  std::vector<service> services;  ///< those that want to be told of
  std::string version;            ///< a watch goes on from here
  std::string next;               ///< there is a further page; empty: there is none
};
/// Errors: the body is no list of Services.
result<list_page> read_list_page(std::string_view body);

/// Why something was refused.
struct status {
  int code = 0;
  std::string reason;   ///< a word, as `Expired`
  std::string message;  ///< a sentence; it may quote anything
};
/// Of a body that may be no Status: then its members are empty.
status read_status(std::string_view body);

enum class event_kind : std::uint8_t {
  changed,   ///< ADDED or MODIFIED: this is how it is now
  gone,      ///< DELETED, as it was last
  progress,  ///< BOOKMARK: nothing has happened up to this version
  error,     ///< what follows can not be had in this watch
};
struct watch_event {
  event_kind kind = event_kind::progress;
  service what;         ///< with `changed` and `gone`
  std::string version;  ///< a watch goes on from here; with all but `error`
  status why;           ///< with `error`
};
/// Errors: the line is no event of Services.
result<watch_event> read_watch_event(std::string_view line);

}  // namespace gate::kubernetes
