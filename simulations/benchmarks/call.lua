-- wrk script: one MCP request again and again, each with an id of its own (a session must not have the
-- same id twice at once). Environment: MCP_BODY, the message with the id 1000000; MCP_SESSION, the
-- session id; MCP_METHOD=GET for a plain download instead.
--
-- The request is put together by hand and the answers are not looked at: Lua would cost more than what
-- is measured. run.mjs checks before and after that every call was answered with a result.
local session = os.getenv("MCP_SESSION") or "none"
local body = os.getenv("MCP_BODY") or ""
local plain = os.getenv("MCP_METHOD") == "GET"
local first, last = body:find("1000000", 1, true)
local before, after, n

function init()
  local lines = {
    (plain and "GET " or "POST ") .. wrk.path .. " HTTP/1.1",
    "Host: " .. wrk.host .. ":" .. wrk.port,
  }
  if not plain then
    lines[#lines + 1] = "Content-Type: application/json"
    lines[#lines + 1] = "Accept: application/json, text/event-stream"
    lines[#lines + 1] = "Mcp-Session-Id: " .. session
    lines[#lines + 1] = "MCP-Protocol-Version: 2025-11-25"
    lines[#lines + 1] = "Content-Length: " .. #body
  end
  before = table.concat(lines, "\r\n") .. "\r\n\r\n"
  if first then
    before = before .. body:sub(1, first - 1)
    after = body:sub(last + 1)
  end
  n = 0
end

function request()
  if not first then return before end
  n = (n + 1) % 9000000
  return before .. (1000000 + n) .. after
end

-- One line of numbers instead of wrk's prose: run.mjs reads it.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"bytes":%d,"p50":%.1f,"p99":%.1f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
