import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { AuditResponse, type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { createLogger } from "../src/log.ts";
import { createRpcClient } from "../src/rpc/client.ts";
import { insecure } from "../src/rpc/identity.ts";
import { inProcess } from "../src/rpc/in-process.ts";
import { type Handlers, serveRpc, unaryService } from "../src/rpc/server.ts";

const log = createLogger({ service: "test", level: "silent" });
const host = "127.0.0.1";

type Audit = Handlers<LedgerServiceServer>["audit"];

/** A ledger in this process, and a caller of it. */
async function openLedger(audit: Audit) {
  const none = async () => assert.fail("unexpected call");
  const services = [
    unaryService<LedgerServiceServer>(LedgerServiceService, { settle: none, listEntries: none, audit }, log),
  ];
  const server = await serveRpc({ identity: insecure, host, port: 0, services });
  const address = `${host}:${server.port}`;
  inProcess.share([address]);
  return { server, client: createRpcClient<LedgerServiceServer>(LedgerServiceService, address, insecure) };
}

const response = AuditResponse.fromPartial({ violations: ["one"] });

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => assert.fail("it did not fail"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof GatewayError);
  return error.code;
}

test("in one process, a caller gets a copy of the response, and the handler's error with its code and details", async () => {
  let fails = false;
  const { server, client } = await openLedger(async () => {
    if (fails) throw new GatewayError("rate_limit_exceeded", "Later.", { retryAfterMs: 70 });
    return response;
  });
  await using _server = server;
  const received = await client.audit({});
  assert.deepEqual(received.violations, ["one"]);
  assert.notEqual(received.violations, response.violations);
  fails = true;
  await assert.rejects(client.audit({}), { code: "rate_limit_exceeded", message: "Later.", retryAfterMs: 70 });
});

test("in one process, a call ends at its deadline and when its signal aborts", async () => {
  const { promise: never, resolve } = Promise.withResolvers<Awaited<ReturnType<Audit>>>();
  const { server, client } = await openLedger(() => never);
  await using _server = server;
  assert.equal(await failureOf(client.audit({}, { timeoutMs: 20 })), "service_unavailable");
  const controller = new AbortController();
  const aborted = failureOf(client.audit({}, { signal: controller.signal }));
  controller.abort();
  assert.equal(await aborted, "internal_error");
  resolve(response);
});

test("in one process, a service that stops finishes its running calls and accepts no more", async () => {
  const { promise: held, resolve } = Promise.withResolvers<Awaited<ReturnType<Audit>>>();
  const begun = Promise.withResolvers<void>();
  const { server, client } = await openLedger(() => {
    begun.resolve();
    return held;
  });
  const running = client.audit({});
  await begun.promise;
  let isStopped = false;
  const stopped = server[Symbol.asyncDispose]().then(() => {
    isStopped = true;
  });
  assert.equal(await failureOf(client.audit({})), "service_unavailable");
  assert.equal(isStopped, false);
  resolve(response);
  assert.deepEqual((await running).violations, ["one"]);
  await stopped;
});

test("in one process, a handler does not run in the context of its caller's request", async () => {
  const context = new AsyncLocalStorage<string>();
  const { server, client } = await openLedger(async () => ({
    ...response,
    violations: [context.getStore() ?? "none"],
  }));
  await using _server = server;
  const { violations } = await context.run("a request", () => client.audit({}));
  assert.deepEqual(violations, ["none"]);
});
