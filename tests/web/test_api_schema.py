"""The API against its own description, by schemathesis."""

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

schema = schemathesis.pytest.from_fixture("described")


@pytest.fixture
def described(client):
    client.enter()
    return schemathesis.openapi.from_asgi("/api/openapi.json", client.app, headers={"host": "127.0.0.1:8000"})


@schema.parametrize()
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_the_api_does_what_it_says(case, client):
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    token = client.headers["x-csrf-token"]
    case.call_and_validate(headers={"host": "127.0.0.1:8000", "x-csrf-token": token, "cookie": cookies})
