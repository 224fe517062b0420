import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AdminToken } from "@uag/proto/billing/v1/admin.ts";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger } from "@uag/runtime/log";
import type { Request } from "express";
import { AdminAuthenticator } from "./authenticate.ts";
import { FailedLogins } from "./failed-logins.ts";

const token = { id: "admtok_1", name: "ci", role: 1, accountId: "" } as AdminToken;

function stage() {
  const state = { now: 0, received: 0, rows: 0, found: false };
  const clock = { now: () => state.now, monotonic: () => state.now };
  const admin = {
    resolveAdminToken: async (): Promise<AdminToken> => {
      state.received++;
      if (!state.found) throw new GatewayError("not_found");
      return token;
    },
    recordAction: async () => {
      state.rows++;
      return {};
    },
  };
  const clients = { admin } as unknown as ConstructorParameters<typeof AdminAuthenticator>[0]["clients"];
  const log = createLogger({ service: "test", level: "silent" });
  const failedLogins = new FailedLogins({ clients, clock, log });
  const authenticator = new AdminAuthenticator({ clients, peppers: keyringOf("11".repeat(16)), failedLogins, clock });
  const enter = async (secret: string, address = "192.0.2.1"): Promise<string> => {
    const authorization = `Bearer ${secret}`;
    const request = { headers: { authorization }, rawHeaders: ["authorization", authorization] } as unknown as Request;
    try {
      return (await authenticator.enter(request, { address, requestId: "req_1" })).actor.id;
    } catch (error) {
      return (error as GatewayError).code;
    }
  };
  return { state, enter };
}

test("a token works within a second of its creation, even if it was tried before", async () => {
  const { state, enter } = stage();
  const secret = "a-token-that-is-about-to-be-made";
  for (let i = 0; i < 3; i++) {
    assert.equal(await enter(secret), "invalid_api_key");
    state.now += 300;
  }
  state.found = true;
  state.now += 300;
  assert.equal(await enter(secret), "admtok_1");
});

test("a known token from an address that guesses tokens is looked up, so that its revocation takes effect at once", async () => {
  const { state, enter } = stage();
  state.found = true;
  assert.equal(await enter("the-token-of-the-administrator"), "admtok_1");
  state.found = false;
  for (let i = 0; i < 30; i++) await enter(`an-invented-token-number-${i}`);
  assert.equal(await enter("an-invented-token-once-more"), "rate_limit_exceeded");
  assert.ok(state.received < 15, `${state.received} look-ups`);
  state.found = true;
  assert.equal(await enter("the-token-of-the-administrator"), "admtok_1");
  state.found = false;
  assert.equal(await enter("the-token-of-the-administrator"), "invalid_api_key");
});

test("each failed login is recorded, up to sixty in a burst", async () => {
  const { state, enter } = stage();
  for (let i = 0; i < 200; i++) await enter(`an-invented-token-number-${i}`, `192.0.2.${i}`);
  assert.equal(state.rows, 60);
});
