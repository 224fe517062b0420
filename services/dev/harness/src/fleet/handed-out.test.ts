import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { portName } from "@uag/local/service-processes";
import { leaksOf, shownPages, watchFetch } from "./handed-out.ts";

const token = "adm-token-of-an-operator-0123456789";
const key = "sk-handed-out-0123456789abcdef";
const session = "session-cookie-0123456789abcdef";
const invitation = "i".repeat(43);
const password = "a password of a person";
const pepper = "f".repeat(64);

describe("secrets that a fleet has handed out", () => {
  const resources = new AsyncDisposableStack();
  let dataDir = "";
  let url = "";
  let metrics = "";
  let audit = "{}";

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "handed-out-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const server = createServer((request, response) => {
      if (request.url === "/metrics") return response.end(metrics);
      response.setHeader("content-type", "application/json");
      if (request.url?.startsWith("/admin/audit-log") === true) return response.end(audit);
      response.setHeader("set-cookie", `console_session=${session}; HttpOnly`);
      return response.end(JSON.stringify({ key, token, url: `${url}/console/invitations/${invitation}` }));
    });
    resources.defer(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    await mkdir(join(dataDir, "log"));
    await writeFile(join(dataDir, "ports.json"), JSON.stringify({ [portName("router", "ADMIN_PORT")]: port }));
    await writeFile(
      join(dataDir, "secrets.json"),
      JSON.stringify({ key_pepper: pepper, admin: { email: "a@localhost" } }),
    );
    watchFetch();
    await fetch(`${url}/made`, { method: "POST", body: JSON.stringify({ password }) });
  });
  after(() => resources.disposeAsync());

  const leaks = async (log: string): Promise<string[]> => {
    await writeFile(join(dataDir, "log", "router.log"), log);
    const run = {
      admin_url: `${url}/admin`,
      admin: { token },
      api_key: key,
      mongodb_url: "mongodb://user:engine-password@host/",
    };
    const fleet = { dataDir, run } as unknown as Parameters<typeof leaksOf>[0];
    const found = await leaksOf(fleet, { pages: await shownPages(fleet), env: { ACME_API_KEY: "provider-key-0123" } });
    return found.map(({ where }) => where);
  };

  test("are found in a log, wherever a piece of the file ends, in a metric and in an audit row", async () => {
    assert.deepEqual(await leaks("nothing"), []);
    for (const secret of [token, key, session, invitation, password, pepper, "engine-password", "provider-key-0123"])
      assert.deepEqual(await leaks(`${"x".repeat(65_530)}${secret}\n`), ["log/router.log"], secret);
    metrics = `uag_requests_total{key="${key}"} 1`;
    audit = JSON.stringify({ data: [{ requested: { email: password } }], next_cursor: null });
    assert.deepEqual(await leaks("nothing"), ["/metrics of router", "the audit log, page 1"]);
  });
});
