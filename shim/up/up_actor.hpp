#pragma once
/// UP: the actor around CONDUCT: KEPT PROGRAMs, questions over HTTP, a look at files and servers
/// now and then. Spawned by main; ends when nothing of the programs is left.
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "shim/up/conduct.hpp"
#include "shim/up/interfaces.hpp"
#include "shim/up/kept_program_actor.hpp"
#include "shim/up/serving.hpp"
#include "transport/pinned.hpp"

namespace gate::up {

struct up_parts {
  gathered what;
  programs where;
  std::string host;
  std::uint16_t port = 0;
  bool verbose = false;
  program_starter start;
  egress_handle egress;
  /// Keeps the gateway's document; its path is the same each time.
  std::function<result<std::string>(std::string_view document)> keep_document;
  /// For people.
  std::function<void(std::string_view)> say;
  /// The files again, if one of them has changed; nothing: as before.
  std::function<std::optional<result<gathered>>()> look_again;
  std::function<void(bool well)> over;
};

/// To itself: look at the servers that are awaited, at the files.
struct look_at_servers {};
struct look_at_files {};

using up_base = kept_user::extend<caf::reacts_to<fetched>>::extend<caf::reacts_to<streamed>>::
    extend<caf::reacts_to<look_at_servers>>::extend<caf::reacts_to<look_at_files>>::extend<
        caf::reacts_to<stop_requested>>::extend<caf::reacts_to<reload_requested>>;

class up_actor final : public pinned<up_base::base>, private hands {
 public:
  up_actor(caf::actor_config& cfg, caf::execution_unit* unit, up_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "up"; }

 private:
  void start_server(const clients::planned_server& s) override;
  void start_gateway(const clients::named_values& secrets) override;
  void keep_document(const std::string& text) override;
  void reload_gateway() override;
  void end_program(std::string_view id) override;
  void ask_health(std::string_view id, const std::string& url) override;
  void ask_tools(const std::string& url, std::string_view cursor) override;
  void forget_gateway() override;
  void say(std::string_view text) override;
  void over(bool well) override;

  void keep(kept_parts what);
  void ask(std::string id, result<fetch_ptr> what);
  void take(const fetched& m);
  void look_at_the_files();
  void lost(const caf::actor_addr& who);

  up_parts parts_;
  conduct conduct_;
  std::map<std::string, kept_handle, std::less<>> programs_;
  std::string document_;  ///< its path
  /// What it says: a folder for what runs may be tidied, so it is kept anew when it is read.
  std::shared_ptr<std::string> kept_ = std::make_shared<std::string>();
  struct question {
    std::string id;    ///< whose health; empty: the gateway's tools
    std::string said;  ///< of an answer that is a stream, the latest event
  };
  std::map<std::uint64_t, question> asked_;
  std::uint64_t next_fetch_ = 1;
};

}  // namespace gate::up

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::look_at_servers)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::up::look_at_files)
