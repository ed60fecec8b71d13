"""The OpenAPI 3.1 description of the server and of the models that it serves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ..core.version import VERSION
from ..ir.dim import Dim
from .datatypes import TensorDatatype
from .protocol import ERROR_CODES
from .request_log import REQUEST_ID_HEADER
from .served_model import ServedModel

Json = dict[str, Any]
_MAX_EXAMPLE_ELEMENTS = 64  # of all inputs; larger requests are too long to read as JSON
_ERRORS = {
    400: "The request is invalid.",
    404: "There is no such model.",
    408: "The request body did not arrive in time.",
    413: "The request body is too large.",
    415: "The Content-Encoding is not supported.",
    500: "The model could not compute the outputs.",
    501: "The server does not support this extension of the protocol.",
    503: "The server is overloaded or shutting down. Repeat the request later.",
}
_HEADER_LENGTH = {
    "name": "Inference-Header-Content-Length",
    "in": "header",
    "required": False,
    "description": "Length of the JSON in bytes if binary tensors follow it.",
    "schema": {"type": "integer", "minimum": 0},
}
_REQUEST_ID = {
    "name": REQUEST_ID_HEADER,
    "in": "header",
    "required": False,
    "description": "Id of the request in the log and the response; by default a random one.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"},
}


def openapi_document(models: Sequence[ServedModel]) -> Json:
    """Return the OpenAPI document of a server. The paths of each model have schemas with the names,
    dtypes and shapes of its inputs and outputs.
    """
    paths = _server_paths()
    for model in models:
        base = f"/v2/models/{quote(model.name, safe='')}"
        for number, path in enumerate((base, f"{base}/versions/1")):
            paths |= _model_paths(model, path, f"{model.name}_v1" if number else model.name)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Oarlock",
            "version": VERSION,
            "description": "Inference with the Open Inference Protocol v2 (KServe, Triton). "
            "Tensors are JSON numbers, or binary data after the JSON.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [
            {"name": "server", "description": "The server."},
            *({"name": m.name, "description": f"The model '{m.name}'."} for m in models),
        ],
        "paths": paths,
        "components": {
            "schemas": {
                "Error": _error_schema(),
                "ModelStatistics": _statistics_schema(),
                **{
                    f"{kind}.{_component_name(model.name)}": schema
                    for model in models
                    for kind, schema in (
                        ("InferRequest", _request_schema(model)),
                        ("InferResponse", _response_schema(model)),
                    )
                },
            }
        },
    }


# -- paths
# ------------------------------------------------------------------------------------------


def _server_paths() -> Json:
    index = _object(
        {
            "name": {"const": "oarlock"},
            "version": {"type": "string"},
            "models": _array({"type": "string"}),
            "links": {"type": "object", "additionalProperties": {"type": "string"}},
        }
    )
    server = _object(
        {
            "name": {"const": "oarlock"},
            "version": {"type": "string"},
            "extensions": _array({"type": "string"}),
        }
    )
    repository = _array(
        _object(
            {"name": {"type": "string"}, "version": {"const": "1"}, "state": {"const": "READY"}}
        )
    )
    page = {"text/html": {"schema": {"type": "string"}}}
    metrics = {"text/plain": {"schema": {"type": "string"}}}
    return {
        "/": _get("server", "index", "Name, version, models and links", {**_json(index), **page}),
        "/docs": _get("server", "docs", "This document as a page", page),
        "/openapi.json": _get("server", "openapi", "This document", _json({"type": "object"})),
        "/metrics": _get("server", "metrics", "Metrics in Prometheus' text format", metrics),
        "/v2": _get("server", "server_metadata", "Name, version and extensions", _json(server)),
        "/v2/health/live": _get("server", "live", "Whether the server runs", None),
        "/v2/health/ready": _get("server", "ready", "Whether all models are loaded", None),
        "/v2/repository/index": {
            "post": _operation("server", "repository_index", "List the models", _json(repository))
        },
        "/v2/models/stats": _get(
            "server", "all_statistics", "Statistics of all models", _json(_statistics_response())
        ),
    }


def _model_paths(model: ServedModel, path: str, id: str) -> Json:
    tag = model.name
    schema_name = _component_name(tag)
    tensors = _array(
        _object(
            {
                "name": {"type": "string"},
                "datatype": {"type": "string"},
                "shape": _array({"type": "integer", "minimum": -1}),
            }
        )
    )
    metadata = _object(
        {
            "name": {"const": tag},
            "versions": {"const": ["1"]},
            "platform": {"type": "string"},
            "inputs": tensors,
            "outputs": tensors,
        }
    )
    config = _object(
        {
            "name": {"const": tag},
            "max_batch_size": {
                "type": "integer",
                "description": "Largest batch size if the first dimension is a batch dimension, "
                "else 0.",
            },
            "input": _array({"type": "object"}),
            "output": _array({"type": "object"}),
        }
    )
    infer = _operation(
        tag,
        f"{id}_infer",
        "Run the model",
        {
            **_json(_reference(f"InferResponse.{schema_name}")),
            "application/octet-stream": {"schema": _binary("outputs")},
        },
        _ERRORS,
    )
    infer["parameters"].append(_HEADER_LENGTH)
    content = _json(_reference(f"InferRequest.{schema_name}"))
    example = _example_request(model)
    if example is not None:
        content["application/json"]["example"] = example
    infer["requestBody"] = {
        "required": True,
        "content": {**content, "application/octet-stream": {"schema": _binary("inputs")}},
    }
    statistics = _json(_statistics_response())
    return {
        path: _get(tag, f"{id}_metadata", "Inputs and outputs", _json(metadata), (404,)),
        f"{path}/ready": _get(tag, f"{id}_ready", "Whether the model is loaded", None, (404,)),
        f"{path}/config": _get(
            tag, f"{id}_config", "The configuration in Triton's form", _json(config), (404,)
        ),
        f"{path}/stats": _get(tag, f"{id}_statistics", "Counts and times", statistics, (404,)),
        f"{path}/infer": {"post": infer},
    }


def _get(tag: str, id: str, summary: str, content: Json | None, errors: Sequence[int] = ()) -> Json:
    return {"get": _operation(tag, id, summary, content, errors)}


def _operation(
    tag: str,
    id: str,
    summary: str,
    content: Json | None,
    errors: Any = (),
) -> Json:
    response: Json = {
        "description": "Success.",
        "headers": {REQUEST_ID_HEADER: {"schema": {"type": "string"}}},
    }
    if content:
        response["content"] = content
    responses = {"200": response}
    responses |= {
        str(status): {"description": _ERRORS[status], "content": _json(_reference("Error"))}
        for status in errors
    }
    responses["default"] = {"description": "An error.", "content": _json(_reference("Error"))}
    return {
        "tags": [tag],
        "operationId": _component_name(id),
        "summary": summary,
        "parameters": [_REQUEST_ID],
        "responses": responses,
    }


# -- schemas
# ------------------------------------------------------------------------------------------


def _object(properties: Json, optional: Sequence[str] = ()) -> Json:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": properties}


def _array(items: Json, **more: Any) -> Json:
    return {"type": "array", "items": items, **more}


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _component_name(name: str) -> str:
    """Return a name with the characters that OpenAPI allows in names of components."""
    return quote(name, safe="").replace("%", "_").replace("~", "_")


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def _binary(tensors: str) -> Json:
    return {
        "type": "string",
        "format": "binary",
        "description": f"The JSON, followed by the bytes of the {tensors} that have the parameter "
        "binary_data_size, in their order; little-endian, in row-major order.",
    }


def _error_schema() -> Json:
    meanings = "\n".join(f"- {code}: {meaning}" for code, meaning in ERROR_CODES.items())
    return _object(
        {
            "error": {"type": "string", "description": "What is wrong, for people."},
            "code": {"enum": list(ERROR_CODES), "description": meanings},
            "request_id": {
                "type": "string",
                "description": f"The id in the log of the server and in the header "
                f"{REQUEST_ID_HEADER}.",
            },
        }
    )


def _statistics_response() -> Json:
    return _object({"model_stats": _array(_reference("ModelStatistics"))})


def _statistics_schema() -> Json:
    integer = {"type": "integer", "minimum": 0}
    duration = _object({"count": integer, "ns": integer})
    names = ("success", "fail", "queue", "compute_input", "compute_infer", "compute_output")
    return _object(
        {
            "name": {"type": "string"},
            "version": {"const": "1"},
            "last_inference": {**integer, "description": "Milliseconds since 1970."},
            "inference_count": {**integer, "description": "Number of samples."},
            "execution_count": {**integer, "description": "Number of runs."},
            "inference_stats": _object(
                dict.fromkeys((*names, "cache_hit", "cache_miss"), duration)
            ),
            "batch_stats": {"type": "array"},
        }
    )


def _dims_of_tensor(
    name: str, shape: Sequence[int | str], named_dims: dict[tuple[str, int], Dim]
) -> list[Json]:
    """Return the schema of the size of each axis of a tensor."""
    dims: list[Json] = []
    for axis, size in enumerate(shape):
        dim = named_dims.get((name, axis))
        if isinstance(size, int) and size >= 0:
            dims.append({"const": size})
        elif dim is None:
            dims.append({"type": "integer", "minimum": 0})
        else:
            limits = {"minimum": dim.smallest_size, "maximum": dim.largest_size}
            dims.append(
                {
                    "type": "integer",
                    "title": dim.name,
                    **{key: value for key, value in limits.items() if value is not None},
                    **({"multipleOf": dim.multiple} if dim.multiple > 1 else {}),
                }
            )
    return dims


def _named_dims(model: ServedModel) -> dict[tuple[str, int], Dim]:
    return {(name, axis): dim for name, axis, dim in model.engine.named_dims}


def _tensor_schema(
    name: str, datatype: TensorDatatype, dims: list[Json], parameters: Json, example: str
) -> Json:
    sizes = [str(dim.get("const", dim.get("title", "?"))) for dim in dims]
    properties: Json = {
        "name": {"const": name},
        "datatype": {"const": datatype.protocol},
        "shape": {
            "type": "array",
            **({"prefixItems": dims} if dims else {}),
            "minItems": len(dims),
            "maxItems": len(dims),
        },
        "parameters": parameters,
    }
    if datatype.in_json:
        number = {"b": "boolean", "f": "number"}.get(datatype.np.kind, "integer")
        properties["data"] = {
            "type": "array",
            "description": f"The values ({number}) in row-major order, in one list or in nested "
            "lists. Absent if the values are binary data.",
        }
    binary = "" if datatype.in_json else " The values are binary data only."
    return {
        **_object(properties, ("parameters", "data")),
        "title": f"{datatype.protocol}[{','.join(sizes)}]",
        "description": f"{example} '{name}': {datatype.protocol}[{','.join(sizes)}].{binary}",
    }


def _one_of(schemas: list[Json]) -> Json:
    return _array({"oneOf": schemas} if schemas else {}, maxItems=len(schemas))


def _request_schema(model: ServedModel) -> Json:
    named_dims = _named_dims(model)
    size = _object({"binary_data_size": {"type": "integer", "minimum": 0}}, ("binary_data_size",))
    inputs = [
        _tensor_schema(
            name, model.inputs[name], _dims_of_tensor(name, shape, named_dims), size, "Input"
        )
        for name, _, shape in model.engine.inputs
    ]
    output = _object(
        {
            "name": {"enum": list(model.outputs)},
            "parameters": _object({"binary_data": {"type": "boolean"}}, ("binary_data",)),
        },
        ("parameters",),
    )
    binary = {"type": "boolean", "description": "Return all outputs as binary data."}
    return _object(
        {
            "id": {"type": "string", "description": "Returned in the response."},
            "inputs": {**_one_of(inputs), "minItems": len(inputs)},
            "outputs": {**_array(output), "description": "Default: all outputs."},
            "parameters": _object({"binary_data_output": binary}, ("binary_data_output",)),
        },
        ("id", "outputs", "parameters"),
    )


def _response_schema(model: ServedModel) -> Json:
    size = _object({"binary_data_size": {"type": "integer", "minimum": 0}})
    outputs = [
        _tensor_schema(name, model.outputs[name], _dims_of_tensor(name, shape, {}), size, "Output")
        for name, _, shape in model.engine.outputs
    ]
    return _object(
        {
            "id": {"type": "string"},
            "model_name": {"const": model.name},
            "model_version": {"const": "1"},
            "outputs": _one_of(outputs),
        },
        ("id",),
    )


def _example_request(model: ServedModel) -> Json | None:
    """Return a request with zeros, or None if its JSON would be long or impossible."""
    named_dims = _named_dims(model)
    inputs: list[Json] = []
    for name, _, shape in model.engine.inputs:
        sizes = [
            size
            if isinstance(size, int) and size >= 0
            else max(1, named_dims[name, axis].smallest_size if (name, axis) in named_dims else 1)
            for axis, size in enumerate(shape)
        ]
        datatype = model.inputs[name]
        zero = False if datatype.np.kind == "b" else 0
        if not datatype.in_json or math.prod(sizes) > _MAX_EXAMPLE_ELEMENTS:
            return None
        inputs.append(
            {
                "name": name,
                "datatype": datatype.protocol,
                "shape": sizes,
                "data": [zero] * math.prod(sizes),
            }
        )
    total = sum(len(item["data"]) for item in inputs)
    return {"inputs": inputs} if total <= _MAX_EXAMPLE_ELEMENTS else None
