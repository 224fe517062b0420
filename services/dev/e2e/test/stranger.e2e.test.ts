import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { Client, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { busAccess } from "@uag/contract/access/bus";
import { access, type Peer, peers } from "@uag/contract/access/rpc";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { waitFor } from "@uag/harness/testing/wait-for";
import { mongoAccess } from "@uag/local/engines/mongo-users";
import { issue, leafDays, makeAuthority } from "@uag/local/identity/authority";
import { certificateFiles } from "@uag/local/identity/certificates";
import { operatorClient } from "@uag/local/operator";
import { type Fleet, startFleet } from "@uag/local/service";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { natsOptions } from "@uag/runtime/bus";
import { internalChannel } from "@uag/runtime/rpc/channel";
import { type Identity, identityFrom, insecure } from "@uag/runtime/rpc/identity";
import { uriOf } from "@uag/runtime/rpc/peer";
import { MongoClient } from "mongodb";
import { connect, type NatsConnection } from "nats";

interface Rpc {
  readonly path: string;
  /** `host:port` of the service in this fleet. */
  readonly address: string;
  readonly servedBy: Peer;
  readonly callers: readonly Peer[];
}

const dayMs = 86_400_000;

/** A service's address; media's assets have their own port. */
async function addressOf({ run, dataDir }: Fleet, service: string, servedBy: Peer): Promise<string> {
  if (service !== "media.v1.AssetService") return run.grpc[servedBy] ?? "";
  const ports = JSON.parse(await readFile(join(dataDir, "ports.json"), "utf8")) as Record<string, number>;
  return `127.0.0.1:${ports["media.ASSETS_GRPC_PORT"]}`;
}

/** Every RPC of every process. Another test checks that the table contains all generated RPCs. */
async function everyRpc(fleet: Fleet): Promise<Rpc[]> {
  const rpcs: Rpc[] = [];
  for (const [service, { servedBy, callers }] of Object.entries(access)) {
    for (const peer of servedBy) {
      const address = await addressOf(fleet, service, peer);
      for (const [method, may] of Object.entries(callers))
        rpcs.push({ path: `/${service}/${method}`, address, servedBy: peer, callers: may });
    }
  }
  return rpcs;
}

/** Makes a call of any kind once with an empty message, and returns its status. */
function call(rpc: Rpc, identity: Identity): Promise<string> {
  const client = new Client(rpc.address, identity.channel([rpc.servedBy]), internalChannel);
  const asIs = (bytes: Buffer): Buffer => bytes;
  const deadline = Date.now() + 60_000;
  return new Promise<string>((resolve) => {
    const stream = client.makeBidiStreamRequest(rpc.path, asIs, asIs, new Metadata(), { deadline });
    stream.on("status", ({ code }: { code: status }) => resolve(status[code] ?? String(code)));
    stream.on("error", (_: ServiceError) => {});
    stream.on("data", () => {});
    stream.end(Buffer.alloc(0));
  }).finally(() => client.close());
}

async function certificateOf(dir: string, name: string, pair: { cert: string; key: string }, ca: string) {
  const files = { cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`), ca: join(dir, `${name}.ca`) };
  await Promise.all([writeFile(files.cert, pair.cert), writeFile(files.key, pair.key), writeFile(files.ca, ca)]);
  return identityFrom(files);
}

/** Clients on the same network without a service's certificate, by their certificate. */
async function strangers(dataDir: string, dir: string): Promise<Record<string, Identity>> {
  const ca = await readFile(join(dataDir, "tls/ca.crt"), "utf8");
  const ours = { cert: ca, key: await readFile(join(dataDir, "tls/ca.key"), "utf8") };
  const router = { commonName: "router", uri: uriOf("router") };
  const expired = await issue(ours, router, Date.now() - 2 * leafDays * dayMs);
  return {
    "no certificate": insecure,
    "another authority": await certificateOf(dir, "other", await issue(await makeAuthority(), router), ca),
    "an expired certificate": await certificateOf(dir, "expired", expired, ca),
    "a certificate without a service": await certificateOf(
      dir,
      "unnamed",
      await issue(ours, { commonName: "router" }),
      ca,
    ),
  };
}

const mongoUrlOf = (fleet: Fleet, user: string, password: string): string => {
  const { host, search } = new URL(fleet.run.mongodb_url);
  return `mongodb://${user}:${password}@${host}/${search}`;
};

/** The environment of a process of the fleet. */
async function environmentOf(fleet: Fleet, name: string): Promise<Record<string, string>> {
  const text = await readFile(`/proc/${fleet.processes.pid(name)}/environ`, "utf8");
  return Object.fromEntries(text.split("\0").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]));
}

/**
 * Connects to the broker as a process of the fleet does; `refused` lists what the broker forbade.
 */
async function natsAs(env: Record<string, string>): Promise<{ nats: NatsConnection; refused(): number }> {
  const nats = await connect(natsOptions({ ...env, NATS_URL: env["NATS_URL"] ?? "" }));
  let count = 0;
  void (async () => {
    for await (const event of nats.status()) if (event.type === "error") count++;
  })();
  return { nats, refused: () => count };
}

const covers = (subjects: readonly string[], subject: string): boolean =>
  subjects.some((pattern) => {
    const [have, want] = [pattern.split("."), subject.split(".")];
    const rest = have.indexOf(">");
    const head = rest < 0 ? have : have.slice(0, rest);
    if (rest < 0 ? have.length !== want.length : want.length <= head.length) return false;
    return head.every((token, i) => token === "*" || token === want[i]);
  });

/** One subject for each pattern of the table, and some to which no service has access. */
const subjects = [
  ...new Set(Object.values(busAccess).flatMap(({ publish, subscribe }) => [...publish, ...subscribe])),
  "_INBOX.metering.x",
  "_INBOX.router.x",
  "$SYS.REQ.SERVER.PING",
  "other",
].flatMap((pattern) => (pattern === ">" ? [] : [pattern.replaceAll("*", "x").replaceAll(">", "x")]));

suite("a stranger on the internal network can do nothing, and a service only what the tables allow", () => {
  let fleet: Fleet;
  const resources = new AsyncDisposableStack();
  before(async () => {
    const ended = Promise.withResolvers<void>();
    await new Promise<void>((resolve, reject) => {
      const running = withTemporaryDir(async (dataDir) => {
        await using started = await startFleet({ dataDir });
        fleet = started;
        resolve();
        await ended.promise;
      });
      running.catch(reject);
      resources.defer(async () => {
        ended.resolve();
        await running;
      });
    });
  });
  after(() => resources.disposeAsync());

  test("every RPC refuses a client without a certificate, and clients with one of another authority, an expired one, or one without a service", async () => {
    await withTemporaryDir(async (dir) => {
      const rpcs = await everyRpc(fleet);
      for (const [name, identity] of Object.entries(await strangers(fleet.dataDir, dir))) {
        const expected = name === "a certificate without a service" ? "UNAUTHENTICATED" : "UNAVAILABLE";
        for (const rpc of rpcs) assert.equal(await call(rpc, identity), expected, `${rpc.path} with ${name}`);
      }
    });
  });

  test("every RPC refuses all services except those in the table", async () => {
    const rpcs = await everyRpc(fleet);
    for (const peer of peers) {
      const identity = identityFrom(certificateFiles(fleet.dataDir, peer));
      for (const rpc of rpcs) {
        if (rpc.callers.includes(peer)) continue;
        assert.equal(await call(rpc, identity), "PERMISSION_DENIED", `${rpc.path} by ${peer}`);
      }
      const health = { path: "/grpc.health.v1.Health/Check", address: fleet.run.grpc["billing"] ?? "" };
      const code = await call({ ...health, servedBy: "billing", callers: [] }, identity);
      assert.equal(code, "UNIMPLEMENTED", `only the gateway's own RPCs are served, even to ${peer}`);
    }
  });

  test("the audit log has the service of the caller's certificate, whatever the caller claims", async () => {
    const { run } = fleet;
    using accounts = operatorClient<AccountServiceServer>(run, "billing", AccountServiceService);
    const actor = { id: "admtok_somebody", name: "Ada", requestId: "req_1" };
    const topUp = { accountId: run.account_id, amountNanoUsd: 1n, reference: "stranger", note: "" };
    await accounts.topUp({ ...topUp, actor });
    const headers = { authorization: `Bearer ${run.admin.token}` };
    const response = await fetch(`${run.base_url}/admin/v1/audit-log?target=${run.account_id}`, { headers });
    const { data } = (await response.json()) as { data: { action: string; actor: { id: string; name: string } }[] };
    assert.deepEqual([data[0]?.action, data[0]?.actor.id], ["account.top_up", "operator"]);
  });

  test("the broker requires authentication, and each service publishes and subscribes only as the table allows", async () => {
    const { host } = new URL(fleet.run.nats_url);
    for (const url of [`nats://${host}`, `nats://chat:guess@${host}`, `nats://operator:@${host}`]) {
      const attempt = connect({ ...natsOptions({ NATS_URL: url }), reconnect: false, maxReconnectAttempts: 0 });
      await assert.rejects(attempt, /Authorization/i, url);
    }
    for (const peer of peers) {
      if (peer === "operator") continue;
      const { nats, refused } = await natsAs(await environmentOf(fleet, peer));
      const may = busAccess[peer];
      for (const subject of subjects) {
        // Metering's requests to the broker itself are not tested, because they would change its streams.
        if (!covers(may.publish, subject)) {
          const before = refused();
          nats.publish(subject, "x");
          await waitFor(() => refused() > before, { what: `${peer} may not publish ${subject}` });
        }
        if (!covers([...may.subscribe, `_INBOX.${peer}.>`], subject)) {
          const before = refused();
          nats.subscribe(subject, { callback: () => {} });
          await waitFor(() => refused() > before, { what: `${peer} may not subscribe to ${subject}` });
        }
      }
      await nats.close();
    }
  });

  test("the database requires authentication, and each service can use only its own database", async () => {
    const names = new Set(Object.values(mongoAccess).flatMap((roles) => roles.map(({ db }) => db)));
    const nobody = await MongoClient.connect(
      fleet.run.mongodb_url.replace(/\/\/[^@]*@/, "//").replace(/&authSource.*/, ""),
    );
    const unauthorized = { codeName: "Unauthorized" };
    for (const name of names) await assert.rejects(nobody.db(name).collection("x").findOne(), unauthorized, name);
    await nobody.close();
    await assert.rejects(MongoClient.connect(mongoUrlOf(fleet, "billing", "guess")), /Authentication failed/);
    for (const peer of peers) {
      if (peer === "operator") continue;
      const { MONGODB_URL: url } = await environmentOf(fleet, peer);
      assert.equal(url !== undefined, peer in mongoAccess, peer);
      if (url === undefined) continue;
      const client = await MongoClient.connect(url);
      const own = new Set(mongoAccess[peer]?.map(({ db }) => db));
      for (const name of names) {
        const rows = client.db(name).collection("stranger");
        if (own.has(name)) continue;
        await assert.rejects(rows.findOne(), unauthorized, `${peer} reads ${name}`);
        await assert.rejects(rows.insertOne({}), unauthorized, `${peer} writes ${name}`);
      }
      await assert.rejects(client.db("admin").command({ usersInfo: 1 }), unauthorized, peer);
      const user = { createUser: "me", pwd: "me", roles: ["root"] };
      await assert.rejects(client.db("admin").command(user), unauthorized, peer);
      await client.close();
    }
  });
});
