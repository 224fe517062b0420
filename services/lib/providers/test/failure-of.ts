import assert from "node:assert/strict";
import { UpstreamFailure } from "../src/failure.ts";

/** The failure that a call is expected to end with. */
export async function failureOf(promise: Promise<unknown>): Promise<UpstreamFailure> {
  const error = await promise.then(
    () => assert.fail("it did not fail"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof UpstreamFailure, String(error));
  return error;
}
