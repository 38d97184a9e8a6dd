-- wrk script: one MCP request again and again, each with an id of its own (a session must not have the
-- same id twice at once). Environment: MCP_BODY, the message with the id 1000000; MCP_SESSION, the
-- session id; MCP_TOKEN, the token of who calls, or none; MCP_HEADERS, lines that stand in place of those of
-- sessions; MCP_METHOD=GET for a plain download instead.
-- Several sessions (and their tokens), separated by commas, take turns: wrk does not tell a script which
-- connection a request is for.
--
-- The request is put together by hand and the answers are not looked at: Lua would cost more than what
-- is measured. run.mjs checks before and after that every call was answered with a result.
local function list(name)
  local all = {}
  for one in (os.getenv(name) or ""):gmatch("[^,]+") do all[#all + 1] = one end
  return all
end
local sessions, tokens = list("MCP_SESSION"), list("MCP_TOKEN")
local body = os.getenv("MCP_BODY") or ""
local headers = os.getenv("MCP_HEADERS") or ""
local plain = os.getenv("MCP_METHOD") == "GET"
local first, last = body:find("1000000", 1, true)
local before, after, n = {}, nil, 0

local function head(caller)
  local lines = {
    (plain and "GET " or "POST ") .. wrk.path .. " HTTP/1.1",
    "Host: " .. wrk.host .. ":" .. wrk.port,
  }
  if not plain then
    lines[#lines + 1] = "Content-Type: application/json"
    lines[#lines + 1] = "Accept: application/json, text/event-stream"
    for line in headers:gmatch("[^\n]+") do lines[#lines + 1] = line end
    if headers == "" then
      lines[#lines + 1] = "Mcp-Session-Id: " .. sessions[caller]
      lines[#lines + 1] = "MCP-Protocol-Version: 2025-11-25"
    end
    if tokens[caller] then lines[#lines + 1] = "Authorization: Bearer " .. tokens[caller] end
    lines[#lines + 1] = "Content-Length: " .. #body
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

function init()
  if #sessions == 0 then sessions[1] = "none" end
  for caller = 1, #sessions do
    before[caller] = head(caller)
    if first then before[caller] = before[caller] .. body:sub(1, first - 1) end
  end
  if first then after = body:sub(last + 1) end
end

function request()
  if not first then return before[1] end
  n = (n + 1) % 9000000
  return before[n % #sessions + 1] .. (1000000 + n) .. after
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
