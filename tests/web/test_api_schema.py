"""The API against its own description, by schemathesis."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

OPERATIONS = [
    ("GET", "/api/question"),
    ("POST", "/api/answers"),
    ("POST", "/api/undo"),
    ("GET", "/api/ahead"),
    ("GET", "/api/results"),
    ("GET", "/api/items/{index}"),
    ("GET", "/api/items/{index}/neighbours"),
    ("GET", "/api/clusters/{cluster}"),
]
HOST = {"host": "127.0.0.1:8000"}


def described(client):
    return schemathesis.openapi.from_asgi("/api/openapi.json", client.app, headers=HOST)


def test_every_operation_is_tried(client):
    found = [result.ok() for result in described(client).get_all_operations()]
    assert {(operation.method.upper(), operation.path) for operation in found} == set(OPERATIONS)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_api_does_what_it_says(client, method, path):
    client.enter()
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    headers = {**HOST, "x-csrf-token": client.headers["x-csrf-token"], "cookie": cookies}
    operation = described(client)[path][method]

    @given(case=operation.as_strategy())
    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    def holds(case):
        case.call_and_validate(headers=headers)

    holds()
