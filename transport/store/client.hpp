#pragma once
/// The store as one unit knows it: a connection that carries what the unit asks and hears (RESP2
/// needs a second one to hear), and a look for it again and again while it is away. Owned by STORE.
/// Thread: the unit's.
///
///   begun -> opening --ready--> here --lost, silent--> away --after a pause--> opening
///               \--failed--> away, or at the start: it is over
///
/// It is here when the handshake is through and all channels are listened to again.
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "transport/interfaces.hpp"
#include "transport/store/line.hpp"
#include "transport/store/presence.hpp"

namespace gate::store {

class client final : public line_user {
 public:
  enum class listening : std::uint8_t { wanted, asked, heard };
  struct callbacks {
    std::function<void(store_heard)> heard;
    /// It is here, or away.
    std::function<void(bool here)> turned;
    /// This channel is listened to, as was wished for.
    std::function<void(const std::string& channel)> listens;
  };
  using answer = std::function<void(store_told)>;
  /// What was wrong; empty: nothing.
  using opened = std::function<void(std::string)>;

  client(scheduler::io_unit& unit, resp::store_url to, std::shared_ptr<presence> all,
         std::shared_ptr<metrics> m, callbacks call,
         http::resolve_function resolve = http::resolve_by_system);
  ~client();
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// Once, before anything else.
  void open(opened then);
  /// Exactly one answer for each, perhaps at once.
  void ask(store_request what, answer then);
  /// False: there are too many.
  bool listen(const std::string& channel);
  void unlisten(const std::string& channel);

  bool here() const { return state_ == state::here; }
  bool listens(const std::string& channel) const {
    const auto it = channels_.find(channel);
    return it != channels_.end() && it->second == listening::heard;
  }

  // line_user
  void on_ready(line& which) override;
  void on_push(const resp::value& v) override;
  void on_quiet(line& which) override;
  void on_ended(line& which, const line_end& how) override;

 private:
  enum class state : std::uint8_t { begun, opening, here, away };
  struct operation {
    store_request what;
    answer then;
    monotonic::time_point since;
    bool whole = false;  ///< the script itself was sent, not its digest
  };
  using operation_ptr = std::shared_ptr<operation>;

  line::surroundings around() { return {unit_, lookups_, tls_, to_}; }
  void look();
  void give_up(std::string why);
  void drop_lines();
  void forget_hearing();
  void go_on();
  void arrive();
  void wake(std::chrono::milliseconds after);
  std::string why_late(const std::string& waited) const;
  void subscribe(const std::string& channel);
  void subscribed(const std::string& channel);
  void send(const operation_ptr& op);
  void on_answer(const operation_ptr& op, store_outcome outcome, const resp::value* v);
  void finish(const operation_ptr& op, store_outcome outcome, const resp::value* v);
  /// What a refusal says, as far as it may be told.
  std::string words_of_refusal(const resp::value& v) const;
  void ping(line& which);

  scheduler::io_unit& unit_;
  resp::store_url to_;
  std::shared_ptr<presence> all_;
  callbacks call_;
  http::lookups lookups_;
  std::optional<boost::asio::ssl::context> tls_;
  boost::asio::steady_timer timer_;  ///< ends a look, or begins the next one
  std::array<labelled<store_outcome>, store_ops.size()> counts_;
  metrics::histogram durations_;

  state state_ = state::begun;
  std::shared_ptr<line> calls_;
  std::shared_ptr<line> news_;  ///< with RESP2, while there are channels; else null
  std::map<std::string, listening> channels_;
  std::size_t heard_ = 0;  ///< channels that the store has confirmed
  /// Digests of the scripts that the connection of `calls_` has brought.
  std::unordered_set<std::string> brought_;
  monotonic::time_point boot_until_;
  opened opened_;  ///< null: the start is over
  /// A timer that was due already can not be cancelled; it looks here whether we still live.
  std::shared_ptr<char> life_ = std::make_shared<char>();
};

}  // namespace gate::store
