"""The official client, of the generation that is installed, in somebody else's hands: lines of JSON on standard input say
what it is to do, lines of JSON on standard output what came of that and what it heard."""

import asyncio
import json
import sys
import warnings
from contextlib import asynccontextmanager

import mcp
from mcp import types

warnings.simplefilter("ignore")  # what is deprecated is what is tested here
SECOND = hasattr(mcp, "Client")


def tell(**what):
    print(json.dumps(what), flush=True)


def plain(result):
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


async def elicited(context, params):
    asked = plain(params)
    if asked["mode"] == "url":
        return types.ElicitResult(action="accept")
    required = asked["requestedSchema"]["required"]
    return types.ElicitResult(action="accept", content={key: f"my {key}" for key in required})


async def sampled(context, params):
    return types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text="words"), model="m")


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///work")])


def hearing(number):
    """What it hears that nobody asked for, and what goes wrong on the way."""

    async def heard(message):
        if isinstance(message, Exception):
            tell(client=number, broken=repr(message))
            return
        message = getattr(message, "root", message)
        if hasattr(message, "method"):
            tell(client=number, heard=message.method, params=plain(message).get("params") or {})

    return heard


ASKED = {"sampling_callback": sampled, "list_roots_callback": roots, "elicitation_callback": elicited}


@asynccontextmanager
async def first_generation(url, mode, number):
    from mcp.client.streamable_http import streamable_http_client

    async with streamable_http_client(url) as (reading, writing, session_id):
        async with mcp.ClientSession(reading, writing, message_handler=hearing(number), **ASKED) as session:
            about = plain(await session.initialize())
            yield session, {
                "version": about["protocolVersion"], "capabilities": about["capabilities"],
                "server": about["serverInfo"], "session": session_id(),
            }


@asynccontextmanager
async def second_generation(url, mode, number):
    async with mcp.Client(url, mode=mode, message_handler=hearing(number), log_level="info", **ASKED) as client:
        server = client.server_info
        yield client, {
            "version": client.protocol_version, "capabilities": plain(client.server_capabilities),
            "server": plain(server) if server else None,
        }


class Connection:
    """A client, from `open` to `close`; one task, as what is entered in a task has to be left in it."""

    def __init__(self, number, about):
        self.number = number
        self.opened = asyncio.get_running_loop().create_future()
        self.over = asyncio.Event()
        self.done = asyncio.create_task(self.live(about))
        self.listens = {}

    async def live(self, about):
        generation = second_generation if SECOND else first_generation
        try:
            async with generation(about["url"], about.get("mode"), self.number) as (client, known):
                self.client = client
                self.opened.set_result(known)
                await self.over.wait()
        except BaseException as error:
            if self.opened.done():
                raise
            self.opened.set_exception(error)

    async def close(self):
        self.over.set()
        await self.done

    async def call(self, id, name, arguments):
        async def progressed(progress, total, message):
            tell(id=id, progress=[progress, total, message])

        return plain(await self.client.call_tool(name, arguments, progress_callback=progressed))

    async def abandoned(self, id, name, arguments):
        """A call until `cancel`. The first generation has to say itself that nobody waits any more."""
        number = None if SECOND else self.client._request_id
        try:
            return await self.call(id, name, arguments)
        except asyncio.CancelledError:
            if not SECOND:
                asyncio.current_task().uncancel()
                about = types.CancelledNotificationParams(requestId=number, reason="enough")
                await self.client.send_notification(
                    types.ClientNotification(types.CancelledNotification(params=about)))
            raise

    async def list(self, what):
        every, cursor = [], None
        while True:
            more = {"params": types.PaginatedRequestParams(cursor=cursor)} if not SECOND else {
                "cursor": cursor, "cache_mode": "refresh"}
            page = plain(await getattr(self.client, f"list_{what}")(**more))
            every += next(value for value in page.values() if isinstance(value, list))
            cursor = page.get("nextCursor")
            if not cursor:
                return every

    async def read(self, uri):
        return plain(await self.client.read_resource(uri))

    async def prompt(self, name, arguments):
        return plain(await self.client.get_prompt(name, arguments))

    async def complete(self, name, argument, value):
        ref = types.PromptReference(type="ref/prompt", name=name)
        return plain(await self.client.complete(ref, {"name": argument, "value": value}))["completion"]["values"]

    async def subscribe(self, uri):
        return plain(await self.client.subscribe_resource(uri))

    async def unsubscribe(self, uri):
        return plain(await self.client.unsubscribe_resource(uri))

    async def level(self, level):
        return plain(await self.client.set_logging_level(level))

    async def listen(self, uris):
        """Hears of everything until `deaf`; resolves with what is honoured."""
        honoured = asyncio.get_running_loop().create_future()
        enough = asyncio.Event()

        async def listening():
            wanted = {f"{what}_list_changed": True for what in ("tools", "prompts", "resources")}
            try:
                async with self.client.listen(resource_subscriptions=uris, **wanted) as subscription:
                    honoured.set_result(plain(subscription.honored))
                    await enough.wait()
            except BaseException as error:
                if honoured.done():
                    raise
                honoured.set_exception(error)

        task = asyncio.create_task(listening())
        self.listens = {"enough": enough, "task": task}
        return await honoured

    async def deaf(self):
        self.listens["enough"].set()
        await self.listens["task"]


connections = {}
tasks = {}


async def act(id, do, client=None, **about):
    if do == "open":
        number = len(connections) + 1
        connection = connections[number] = Connection(number, about)
        return {"client": number, **await connection.opened}
    connection = connections[client]
    if do in ("call", "abandoned"):
        return await getattr(connection, do)(id, **about)
    return await getattr(connection, do)(**about)


def reason(error):
    """Groups of one are what that one is."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    known = getattr(error, "error", None)
    return {"kind": type(error).__name__, "code": getattr(known, "code", None), "message": str(error)}


async def answer(id, **about):
    try:
        tell(id=id, result=await act(id, **about))
    except asyncio.CancelledError:
        tell(id=id, error={"kind": "Cancelled", "message": "cancelled"})
    except BaseException as error:
        tell(id=id, error=reason(error))


async def main():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print("ready", file=sys.stderr, flush=True)
    while line := await reader.readline():
        order = json.loads(line)
        if order["do"] == "cancel":
            tasks[order["id"]].cancel()
        else:
            tasks[order["id"]] = asyncio.create_task(answer(**order))


asyncio.run(main())
