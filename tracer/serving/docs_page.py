"""HTML pages of the server: its index, and its OpenAPI document. They contain no scripts and load
nothing from other servers.
"""

from __future__ import annotations

import json
import shlex
from html import escape
from typing import Any

from .protocol import ERROR_CODES

Json = dict[str, Any]
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
h2{border-bottom:1px solid #ccc;margin-top:2.5rem}
code,pre{font:13px/1.45 ui-monospace,monospace}
pre{background:#f5f5f5;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:4px}
details{border:1px solid #ddd;border-radius:4px;margin:.4rem 0;padding:.4rem .8rem}
summary{cursor:pointer}
.method{display:inline-block;min-width:3rem;font-weight:bold;text-transform:uppercase}
.get{color:#06629b}.post{color:#1d7a35}
table{border-collapse:collapse;margin:.5rem 0}
td,th{border:1px solid #ddd;padding:.2rem .6rem;text-align:left;vertical-align:top}
"""


def index_page(index: Json) -> str:
    """Return the page of the path `/`.  index: the answer as JSON"""
    models = "".join(
        f"<li><a href='/docs#{escape(name)}'>{escape(name)}</a></li>" for name in index["models"]
    )
    links = "".join(
        f"<li><a href='{path}'>{escape(name)}</a> <code>{path}</code></li>"
        for name, path in index["links"].items()
    )
    return _page(
        "Oarlock",
        f"<h1>Oarlock {escape(index['version'])}</h1>"
        f"<h2>Models</h2><ul>{models}</ul><h2>Links</h2><ul>{links}</ul>",
    )


def openapi_page(document: Json) -> str:
    """Return a page that shows an OpenAPI document of `openapi.openapi_document`."""
    info = document["info"]
    schemas = document["components"]["schemas"]
    parts = [
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"<p>{escape(info['description'])} This page as data: "
        f"<a href='/openapi.json'>/openapi.json</a>. In the examples, <code>SERVER</code> is the "
        f"address of this server, as <code>http://127.0.0.1:8000</code>.</p>"
    ]
    for tag in document["tags"]:
        parts.append(
            f"<h2 id='{escape(tag['name'])}'>{escape(tag['name'])}</h2>"
            f"<p>{escape(tag['description'])}</p>"
        )
        parts += [
            _operation_section(path, method, operation, schemas)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
            if operation["tags"] == [tag["name"]]
        ]
    parts.append("<h2 id='errors'>Errors</h2>" + _errors_table())
    return _page(f"{info['title']} API", "".join(parts))


def _page(title: str, body: str) -> str:
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{_STYLE}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def _operation_section(path: str, method: str, operation: Json, schemas: Json) -> str:
    parts = [
        f"<details><summary><span class='method {method}'>{method}</span> "
        f"<code>{escape(path)}</code> {escape(operation['summary'])}</summary>"
    ]
    content = operation.get("requestBody", {}).get("content", {})
    if json_body := content.get("application/json"):
        schema = _resolve(json_body["schema"], schemas)
        parts.append("<h4>Inputs</h4>" + _tensor_table(schema["properties"]["inputs"]))
        if "example" in json_body:
            parts.append("<h4>Example</h4>" + _curl_example(path, json_body["example"]))
        parts.append(_schema_details("Schema of the request", schema))
    rows = []
    for status, response in operation["responses"].items():
        kinds = ", ".join(response.get("content", {}))
        rows.append(f"<tr><td>{status}<td>{escape(response['description'])}<td>{escape(kinds)}")
    parts.append(f"<h4>Responses</h4><table>{''.join(rows)}</table>")
    answer = operation["responses"]["200"].get("content", {}).get("application/json")
    if answer is not None:
        schema = _resolve(answer["schema"], schemas)
        if "outputs" in schema.get("properties", {}) and method == "post":
            parts.append("<h4>Outputs</h4>" + _tensor_table(schema["properties"]["outputs"]))
        parts.append(_schema_details("Schema of the response", schema))
    return "".join(parts) + "</details>"


def _resolve(schema: Json, schemas: Json) -> Json:
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _tensor_table(tensors: Json) -> str:
    rows = [
        f"<tr><td><code>{escape(tensor['properties']['name']['const'])}</code>"
        f"<td><code>{escape(tensor['title'])}</code>"
        for tensor in tensors["items"].get("oneOf", ())
    ]
    return f"<table><tr><th>name<th>type{''.join(rows)}</table>"


def _curl_example(path: str, example: Json) -> str:
    # `$SERVER` is in double quotes, so the shell inserts its value.
    command = f'curl "$SERVER"{shlex.quote(path)} --json {shlex.quote(json.dumps(example))}'
    return f"<pre>{escape(command)}</pre>"


def _schema_details(title: str, schema: Json) -> str:
    text = escape(json.dumps(schema, indent=2))
    return f"<details><summary>{title}</summary><pre>{text}</pre></details>"


def _errors_table() -> str:
    rows = [
        f"<tr><td><code>{escape(code)}</code><td>{escape(meaning)}"
        for code, meaning in ERROR_CODES.items()
    ]
    return (
        "<p>The body of every error is JSON with the members <code>error</code>, "
        "<code>code</code> and <code>request_id</code>.</p>"
        f"<table><tr><th>code<th>meaning{''.join(rows)}</table>"
    )
