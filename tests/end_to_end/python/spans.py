"""Reads exports of spans, one a line in base64, and writes each as JSON, a line. What is no such message, or has members
that the messages do not have, ends it."""

import base64
import json
import sys

from google.protobuf import unknown_fields
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def messages(message):
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for each in value if field.is_repeated else [value]:
                yield from messages(each)


def text(value):
    kind = value.WhichOneof("value")
    assert kind == "string_value", kind
    return value.string_value


def attributes(pairs):
    out = {pair.key: text(pair.value) for pair in pairs}
    assert len(out) == len(pairs), "an attribute twice"
    return out


def span(s):
    assert len(s.trace_id) == 16 and len(s.span_id) == 8 and len(s.parent_span_id) in (0, 8)
    return {
        "trace": s.trace_id.hex(), "id": s.span_id.hex(), "parent": s.parent_span_id.hex(), "state": s.trace_state,
        "name": s.name, "kind": s.kind, "start": str(s.start_time_unix_nano), "end": str(s.end_time_unix_nano),
        "attributes": attributes(s.attributes), "flags": s.flags, "status": s.status.code, "message": s.status.message,
        "links": [{"trace": l.trace_id.hex(), "id": l.span_id.hex()} for l in s.links],
    }


for line in sys.stdin:
    request = ExportTraceServiceRequest()
    request.ParseFromString(base64.b64decode(line))
    for message in messages(request):
        assert len(unknown_fields.UnknownFieldSet(message)) == 0, MessageToDict(message)
    [group] = request.resource_spans
    [scope] = group.scope_spans
    print(json.dumps({
        "resource": attributes(group.resource.attributes), "scope": scope.scope.name,
        "spans": [span(s) for s in scope.spans],
    }), flush=True)
