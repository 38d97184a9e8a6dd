#pragma once
/// TASK HEARINGS: what a task of a server with sessions wants to know from its client, if that is
/// one of the stateless generation. Such a server asks on the stream of `tasks/result`; so that is
/// asked as soon as a task says that its input is required, and its questions are kept until
/// `tasks/get` shows them and `tasks/update` answers them. What `tasks/result` itself answers is
/// not needed here: who asks for the task then gets it anew. Bound: `limits::task_hearings`. Part
/// of UPSTREAM SESSION.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/upstream/session_rules.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"

namespace gate::upstream {

class task_hearings {
 public:
  task_hearings(session_state& s, const session_rules& r) : s_(s), r_(r) {}

  ~task_hearings();
  task_hearings(const task_hearings&) = delete;
  task_hearings& operator=(const task_hearings&) = delete;

  /// Questions of this task (raw id) are heard from now on.
  enum class opened : std::uint8_t {
    no,      ///< of too many already
    before,  ///< they are
    anew
  };
  opened open(std::string_view raw_id);
  /// Those that are not answered, and that a client of such capabilities (raw object) takes, as the
  /// member `inputRequests`; empty: there is none.
  std::string questions(std::string_view raw_id, std::string_view raw_capabilities) const;
  /// The client's answers (raw object, by key) go to the server; what was not asked is left out.
  void answer(std::string_view raw_id, std::string_view raw_responses);

  /// A message that is no response, on the stream of fetch `id`. True: it is one of these.
  bool on(std::uint64_t id, const jsonrpc::message& m);
  /// The fetch has ended. What is not answered stays.
  void ended(std::uint64_t id);
  /// The task has ended.
  void forget(std::string_view raw_id);
  /// The session with the server is lost, and with it who has asked.
  void lost();

 private:
  struct hearing {
    std::string task;         ///< raw id
    std::uint64_t fetch = 0;  ///< 0: its stream has ended
    std::vector<mcp::stateless::shown_question> shown;
    std::vector<std::string> ids;  ///< of the server's requests, raw; in the same order
  };

  void drop(hearing& h, std::size_t place);
  void close(hearing& h);
  std::vector<hearing>::iterator find(std::string_view raw_id);
  void ask(hearing& h, const jsonrpc::message& m);

  session_state& s_;
  const session_rules& r_;
  std::vector<hearing> all_;
  std::size_t asked_ = 0;  ///< questions so far: a key names one in the life of its task
};

}  // namespace gate::upstream
