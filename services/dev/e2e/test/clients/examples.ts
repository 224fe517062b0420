import assert from "node:assert/strict";
import { test } from "node:test";
import { recordExamples } from "@uag/cli/openapi/record-examples";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { templateOf } from "@uag/router/openapi/document";
import { examples } from "@uag/router/openapi/examples/examples";
import type { Recorded } from "@uag/router/openapi/examples/types";
import { documented } from "./documented.ts";

const outcome = ({ operation, name, response: { status, type } }: Recorded): string =>
  `${operation} ${name}: ${status} ${type}`;

/** Sends every example of the reference to a gateway and compares the response with the description. */
export function exampleTests(here: () => { readonly fleet: SharedFleet; readonly webhookUrl: string }): void {
  test("every example of the reference gets its documented status, in a response that matches the document", async () => {
    const { fleet, webhookUrl } = here();
    const against = documented();
    const carried = await recordExamples(fleet.run, {
      receiver: { url: webhookUrl },
      seen: ({ template, method, ...response }) => against.check(method, templateOf(template), response),
    });
    assert.deepEqual(carried.map(outcome), examples.map(outcome));
    assert.deepEqual([...against.problems], []);
  });
}
