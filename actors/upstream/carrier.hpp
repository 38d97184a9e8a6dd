#pragma once
/// CARRIER: what pieces of work need of the generation of the protocol that carries them. WORK DESK
/// knows no more of it; each generation has one.
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "actors/upstream/work_table.hpp"
#include "protocol/jsonrpc/message.hpp"

namespace gate::upstream {

class carrier {
 public:
  virtual ~carrier() = default;

  /// Can work be sent at once?
  virtual bool takes_work() const = 0;
  /// Work waits that can not be sent. `work_desk::send_waiting` follows, or `fail_waiting`.
  virtual void open() = 0;
  /// Is there a session at the upstream that takes somebody's place?
  virtual bool takes_place() const = 0;
  /// So many sessions there were: what is sent now belongs to the latest.
  virtual std::uint32_t epoch() const = 0;
  virtual bool offers(mcp::list_kind k) const = 0;
  /// What the server would be asked in another generation, and need not be in this one: the end of
  /// the response, from its result or error on. Nothing: it is to be asked.
  virtual std::optional<std::string> own_answer(const work& w) = 0;
  /// Why the server is not even asked, in this generation; null: it is to be asked.
  virtual std::shared_ptr<const refusal> own_refusal(const work& w) const = 0;
  /// The one that is spoken.
  virtual mcp::era era() const = 0;
  /// Does the server make tasks of calls?
  virtual bool makes_tasks() const = 0;
  /// Sends it; the number of its fetch.
  virtual std::uint64_t carry(work& w) = 0;
  /// The server need not go on with what this fetch has carried. False: it knows nothing of it.
  virtual bool tell_cancelled(std::uint64_t fetch, const pending& p, std::string_view reason) = 0;

  /// Does the answer say that what it was sent in is lost? Then it is from now on.
  virtual bool says_lost(const pending& p, const fetched& f) = 0;
  /// The endpoint could not be reached. True: it can be sent over another one.
  virtual bool endpoint_lost(const pending& p, fetch_end how) = 0;
  /// It was sent with this credential. True: there is another one by now, or one can be had.
  virtual bool renew_credential(int status, std::uint32_t shown) = 0;

  /// Is that no answer yet, but a question to the client? Then the work is taken along, and comes
  /// back by `work_desk::again` or `answer_with`.
  virtual bool asks_client(job& w, const jsonrpc::message& m) = 0;
  /// Is that one of several answers to a call about a task, or to be told in other words? Then the
  /// work is taken along in the same way.
  virtual bool goes_on(job& w, const jsonrpc::message& m) = 0;
  /// Does the answer to this call say that the list of tools is another one by now than that by
  /// which it was sent?
  virtual bool lacks_tools(const work& w, const jsonrpc::message& m) const = 0;

  /// A call had a result, or an error.
  virtual void answered(work& w, const jsonrpc::message& m) = 0;
  /// Whoever wants to know what the upstream can do is to be told; `reached`: it has answered.
  virtual void introduce(bool reached, bool missed) = 0;
  /// The check of an endpoint is over; empty: it went well.
  virtual void check_over(std::string_view why) = 0;
  /// Something is done. If it is told to close, that may have been the last.
  virtual void settle() = 0;
};

}  // namespace gate::upstream
