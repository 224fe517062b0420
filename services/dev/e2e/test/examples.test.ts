import assert from "node:assert/strict";
import { test } from "node:test";
import { templateOf } from "@uag/router/openapi/document";
import { examples } from "@uag/router/openapi/examples/examples";
import { allRoutes, nameOf } from "@uag/router/openapi/routes";
import { documented } from "./clients/documented.ts";

test("every operation has an example, with a body if it takes JSON or a form", () => {
  for (const route of allRoutes) {
    const own = examples.filter(({ operation }) => operation === nameOf(route));
    assert.ok(own.length > 0, `${nameOf(route)} has no example: see examples/`);
    const bodiless = ["admin.alerts.test", "admin.envelopes.close", "admin.webhooks.deliveries.replay"];
    if (route.body !== "none" && !bodiless.includes(nameOf(route)))
      assert.ok(
        own.some(({ body }) => body !== undefined),
        nameOf(route),
      );
  }
});

test("every example response matches the document, without unlisted fields", () => {
  const against = documented();
  for (const { operation, response } of examples) {
    const route = allRoutes.find((one) => nameOf(one) === operation);
    assert.ok(route !== undefined, `${operation} is not an operation`);
    const { status, type, value } = response;
    const text = type === "application/json" ? JSON.stringify(value) : String(value ?? "");
    against.check(route.method, templateOf(route.path), { status, type, text });
  }
  assert.deepEqual([...against.problems], []);
});

test("no example contains a secret or an address of this machine", () => {
  const text = JSON.stringify(examples);
  assert.doesNotMatch(text, /(?:sk-|whsec_|adm-)[\w+/=-]{12}/);
  assert.doesNotMatch(
    text.replaceAll("http://127.0.0.1:8080", ""),
    /127\.0\.0\.1:\d|localhost|"\/(?:home|root|tmp|var)/,
  );
});
