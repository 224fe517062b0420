import assert from "node:assert/strict";
import { test } from "node:test";
import { modelOperations, routes } from "@uag/contract/routes";
import { pathOfOperation } from "@uag/pipeline/request/find-model";

test("an operation of a model has the same name in the table of routes, at the path that errors name", () => {
  for (const operation of modelOperations) {
    const served = routes.filter((route) => "operation" in route && route.operation === operation);
    // The first path is the one to name; another version of it may be served too.
    assert.deepEqual([served[0]?.method, served[0]?.path], ["POST", pathOfOperation(operation)], operation);
    assert.equal(new Set(served.map(({ path }) => path.replace(/^\/v\d+/, ""))).size, 1, operation);
  }
});
