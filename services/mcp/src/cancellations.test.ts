import assert from "node:assert/strict";
import { test } from "node:test";
import { Cancellations } from "./cancellations.ts";

const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };

function running() {
  const cancellations = new Cancellations();
  const controller = new AbortController();
  const open = cancellations.open(call, "key session", controller);
  const send = (client: string | undefined): boolean => {
    cancellations.open(cancel, client, new AbortController())[Symbol.dispose]();
    return controller.signal.aborted;
  };
  return { open, send };
}

test("a client cancels its own request", () => {
  assert.equal(running().send("key session"), true);
});

test("a session cannot cancel another session's request with the same id", () => {
  assert.equal(running().send("key other"), false);
  assert.equal(running().send(undefined), false);
});

test("an ended request cannot be cancelled", () => {
  const { open, send } = running();
  open[Symbol.dispose]();
  assert.equal(send("key session"), false);
});
