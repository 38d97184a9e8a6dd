"""The official server of the session generation, `mcp` 1.x, as its users write one: server_1.py NAME."""

import sys
from typing import Annotated

from answers import BLOB, LEVELS, hold, said, serve
from mcp.server.fastmcp import Context, FastMCP
from mcp.types import Completion, SamplingMessage, TextContent
from pydantic import BaseModel, Field

name = sys.argv[1]
server = FastMCP(name, log_level="ERROR")


class Sum(BaseModel):
    sum: int


class Who(BaseModel):
    name: str


@server.tool()
def echo(text: str) -> str:
    return f"{name}: {text}"


@server.tool()
def typed() -> Sum:
    return Sum(sum=3)


@server.tool()
def fails() -> str:
    raise ValueError("it went wrong")


@server.tool()
async def progress(ctx: Context, steps: int = 3) -> str:
    for i in range(1, steps + 1):
        await ctx.report_progress(i, steps, f"step {i}")
    return f"{steps} steps"


@server.tool()
async def log(ctx: Context) -> str:
    for level in LEVELS:
        await ctx.log(level, f"at {level}")
    return "logged"


@server.tool()
async def slow() -> str:
    await hold()
    return "never"


@server.tool(structured_output=False)
def region(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
    count: Annotated[int, Field(json_schema_extra={"x-mcp-header": "Count"})] = 0,
    plain: str = "",
) -> str:
    return f"{region} {count} {plain}"


@server.tool()
async def ask_once(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Who)
    return said(answer.action, answer.data.model_dump() if answer.action == "accept" else None)


@server.tool()
async def sample(ctx: Context) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="say something"))
    answer = await ctx.session.create_message([message], max_tokens=10, related_request_id=ctx.request_id)
    return f"the model says {answer.content.text}"


@server.tool()
async def ask_url(ctx: Context) -> str:
    answer = await ctx.elicit_url("Come and see", "https://example.com/seen", "first")
    return f"{answer.action} to come"


@server.tool()
async def roots(ctx: Context) -> str:
    """What it asks so belongs to no call: the SDK sends it on the session's own stream."""
    return ",".join(str(root.uri) for root in (await ctx.session.list_roots()).roots)


@server.tool()
async def change(ctx: Context, what: str) -> str:
    session = ctx.session
    await {
        "tools": session.send_tool_list_changed,
        "prompts": session.send_prompt_list_changed,
        "resources": session.send_resource_list_changed,
    }[what]()
    return what


@server.prompt()
def greet(who: str) -> str:
    return f"greet {who}"


@server.completion()
async def complete(ref, argument, context):
    return Completion(values=[f"{argument.value}-one", f"{argument.value}-two"])


@server.resource(f"{name}://docs/1", mime_type="text/plain")
def first() -> str:
    return f"{name}: the first"


@server.resource(f"{name}://docs/2", mime_type="application/octet-stream")
def second() -> bytes:
    return BLOB


@server.resource(f"{name}://items/{{id}}", mime_type="text/plain")
def item(id: str) -> str:
    return f"{name}: item {id}"


serve(server.streamable_http_app())
