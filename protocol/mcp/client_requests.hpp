#pragma once
/// Which requests of servers a client takes, by the capabilities that it declared in `initialize`.
/// One that it does not take is answered in its place, as it would: it need not cope with what it
/// never heard of. (MCP 2025-11-25 /client, /basic/utilities/tasks.)
///
///   request                    needs                          else
///   sampling/createMessage     sampling                       -32601
///     with tools, toolChoice   sampling.tools                 -32602
///   elicitation/create         elicitation                    -32601
///     mode form, or none       elicitation.form, or no url    -32602
///     mode url                 elicitation.url                -32602
///     any other mode           -                              -32602
///   roots/list                 roots                          -32601
///   tasks/list, tasks/cancel   tasks.list, tasks.cancel       -32601
///   further tasks/*            tasks                          -32601
///   what clients ask servers   -                              -32601
///   any other                  nothing: the client knows what it does not know
#include <string_view>

namespace gate::mcp {

/// The code of the error that answers the request; 0: the client takes it. `method` is the name
/// itself; capabilities and params are raw objects.
int refuses_request(std::string_view raw_capabilities, std::string_view method,
                    std::string_view raw_params);

}  // namespace gate::mcp
