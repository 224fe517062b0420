import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { enrol, firstOperator, invite, password } from "./console/people.ts";
import { Visitor } from "./console/visitor.ts";

const bodyMs = 3_000;

describe("attacks on a console's users by strangers and colleagues", () => {
  let fleet: TestFleet;
  let operator: Visitor;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "console-strangers-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const env = { TRUSTED_HOPS: "1", SIGNED_OUT_MS: String(bodyMs), ACCESS_LOG: "all" };
    fleet = resources.use(await startTestFleet({ dataDir, env }));
    operator = await firstOperator(fleet);
  });
  after(() => resources.disposeAsync());

  const from = (address: string) => ({ "x-forwarded-for": address });
  const account = () => ({ account_id: fleet.run.account_id });
  const newVisitor = (): Visitor => new Visitor(fleet.run.console_url);
  const signInFrom = (who: Visitor, address: string, secret = password) =>
    who.post("/api/session", { email: "target@example.com", password: secret }, from(address));

  /** Starts a sign-in whose body never ends. */
  function stall(address: string): Socket {
    const { hostname, port, pathname } = new URL(fleet.run.console_url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    const head = [
      `POST ${pathname}/api/session HTTP/1.1`,
      `host: ${hostname}`,
      "content-type: application/json",
      "content-length: 900",
      `x-forwarded-for: ${address}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n{`);
    return socket;
  }

  test("540 unfinished sign-ins block no signed-in user, and end within seconds", async () => {
    const sockets = Array.from({ length: 540 }, (_, i) => stall(`198.51.${i >> 8}.${i & 255}`));
    const responses = sockets.map(
      (socket) => new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data)))),
    );
    await Promise.race(responses);
    for (let i = 0; i < 20; i++) assert.equal((await operator.get("/api/session")).status, 200);
    const statuses = (await Promise.all(responses)).map((text) => text.slice(9, 12));
    assert.deepEqual([...new Set(statuses)].sort(), ["408", "503"]);
    for (const socket of sockets) socket.destroy();
    const late = newVisitor();
    await waitFor(async () => (await late.get("/api/sign-in", from("203.0.113.1"))).status === 200);
  });

  test("all of a member's sessions share one user's concurrency limit", async () => {
    const member = await enrol(fleet, operator, { email: "many@example.com", role: "member", ...account() });
    const sessions = [member];
    for (let i = 0; i < 3; i++) sessions.push(await newVisitor().signIn("many@example.com", password));
    const abort = new AbortController();
    const open = sessions.flatMap(({ cookie }) =>
      Array.from({ length: 20 }, () =>
        fetch(`${fleet.run.console_url}/api/events`, { headers: { cookie }, signal: abort.signal }),
      ),
    );
    const statuses = (await Promise.all(open)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 48);
    assert.equal(statuses.filter((status) => status === 429).length, 32);
    assert.equal((await operator.get("/api/session")).status, 200);
    abort.abort();
  });

  test("password guesses lock out no user on another network, and none with a known browser", async () => {
    const target = await enrol(fleet, operator, { email: "target@example.com", role: "owner", ...account() });
    const guesses = Array.from({ length: 18 }, (_, i) => signInFrom(newVisitor(), "203.0.113.66", `guess ${i} guess`));
    // The limit is reached now. It frees one attempt every five seconds, and the guesses may take longer.
    await Promise.any(guesses.map(async (guess) => assert.equal((await guess).status, 429)));
    const held = await signInFrom(newVisitor(), "203.0.113.66");
    assert.equal(held.status, 429);
    for (const { status } of await Promise.all(guesses)) assert.ok([401, 429].includes(status), String(status));
    assert.ok(Number(held.headers.get("retry-after")) > 0);
    assert.equal((await signInFrom(newVisitor(), "203.0.113.7")).status, 201, "another network");
    assert.equal((await signInFrom(target, "203.0.113.66")).status, 201, "a known browser");
  });

  test("guesses from a known browser are limited", async () => {
    const known = await newVisitor().signIn("many@example.com", password);
    const { cookie } = known;
    const statuses: number[] = [];
    for (let i = 0; i < 13; i++) {
      known.cookie = cookie;
      const body = { email: "many@example.com", password: `guess ${i} guess` };
      statuses.push((await known.post("/api/session", body, from(`192.0.2.${i}`))).status);
    }
    assert.ok(statuses.includes(429), statuses.join(" "));
  });

  test("text in the e-mail field is logged only if it is a user's address", async () => {
    const secret = "Pa55word@in-the-wrong.field";
    const link = await invite(fleet, operator, { email: "link@example.com", role: "member", ...account() });
    const token = link.slice(link.lastIndexOf("/") + 1);
    const guest = newVisitor();
    assert.equal((await guest.post("/api/session", { email: secret, password }, from("192.0.2.50"))).status, 401);
    await guest.post(`/api${link}/accept`, { name: "Link", password: "short" }, from("192.0.2.50"));
    await guest.get(link, from("192.0.2.50"));
    await fetch(`${fleet.run.base_url}/assets/${token}`);
    const rows = async (): Promise<string> =>
      JSON.stringify(await adminApi(fleet.run).call("GET", "/audit-log?action=console.sign_in_failed&limit=1000"));
    await waitFor(async () => (await rows()).includes("192.0.2.50"));
    assert.ok(!(await rows()).toLowerCase().includes(secret.toLowerCase()));
    for (const name of fleet.processes.names()) {
      const text = await readFile(join(fleet.dataDir, "log", `${name}.log`), "utf8").catch(() => "");
      assert.ok(!text.includes(token) && !text.toLowerCase().includes(secret.toLowerCase()), name);
    }
  });

  test("a member's playground does not show the account's cost", async () => {
    const member = await newVisitor().signIn("many@example.com", password);
    for (const path of ["/v1/dashboard/billing/usage", "/v1/dashboard/billing/subscription"]) {
      assert.equal((await member.get(`/api/gateway${path}`)).status, 403, path);
      assert.equal((await operator.get(`/api/gateway${path}`)).status, 200, path);
    }
    assert.equal((await member.get("/api/gateway/v1/models")).status, 200);
  });
});
