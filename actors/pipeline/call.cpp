#include "actors/pipeline/call.hpp"

namespace gate::pipeline {

call::~call() {
  // Dropped on the way, by a bug or a dying actor: the client is owed an answer all the same. (The
  // ticket, destroyed after this, tells the audit trail.)
  if (ticket.spent() || !from || !from->alive() || streaming) {
    if (streaming && !ticket.spent()) from->end_stream();
    return;
  }
  const refusal why{reason::internal, "the gateway dropped the request", {}, -1};
  from->respond({is_request ? 200 : 500, "application/json", {}, false},
                {jsonrpc::error_message(message.id, row(why.why).session_code, why.message,
                                        refusal_data(why))});
}

}  // namespace gate::pipeline
