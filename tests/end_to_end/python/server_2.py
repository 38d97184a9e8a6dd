"""The official server `mcp` 2.x, which serves both generations on one path: server_2.py NAME.

What its tools want to know they say as their dependencies: the SDK asks in the words of the client's generation.
"""

import sys
from typing import Annotated

from answers import BLOB, LEVELS, hold, said, serve
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.types import Completion, CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel, Field

name = sys.argv[1]
server = MCPServer(name, version="1", log_level="ERROR")


class Sum(BaseModel):
    sum: int


class Who(BaseModel):
    name: str


def ask_who() -> Elicit[Who]:
    return Elicit("Who are you?", Who)


def ask_model() -> Sample:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="say something"))
    return Sample([message], max_tokens=10)


def ask_roots() -> ListRoots:
    return ListRoots()


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
def ask_once(who: Annotated[ElicitationResult[Who], Resolve(ask_who)]) -> str:
    return said(who.action, who.data.model_dump() if who.action == "accept" else None)


@server.tool()
def sample(it: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    return f"the model says {it.content.text}"


@server.tool()
async def ask_url(ctx: Context) -> str:
    """A request in the middle of a call: there are such in sessions only."""
    answer = await ctx.elicit_url("Come and see", "https://example.com/seen", "first")
    return f"{answer.action} to come"


@server.tool()
def roots(it: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
    return ",".join(str(root.uri) for root in it.roots)


@server.tool()
async def change(ctx: Context, what: str) -> str:
    """To those that listen for it, and to the session that this came by if it came by one."""
    session = ctx.session
    ways = {
        "tools": (ctx.notify_tools_changed, session.send_tool_list_changed),
        "prompts": (ctx.notify_prompts_changed, session.send_prompt_list_changed),
        "resources": (ctx.notify_resources_changed, session.send_resource_list_changed),
    }
    if what in ways:
        for way in ways[what]:
            await way()
    else:
        await ctx.notify_resource_updated(what)
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
