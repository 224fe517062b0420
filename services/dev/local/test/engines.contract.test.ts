import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { waitFor } from "@uag/harness/testing/wait-for";
import { natsOptions } from "@uag/runtime/bus";
import { MongoClient } from "mongodb";
import { connect } from "nats";
import { engineEnv } from "../src/engines/env.ts";
import { findMongod, findNatsServer } from "../src/engines/find.ts";
import { mongodProcess, mongodUrl } from "../src/engines/mongod.ts";
import { natsProcess, natsUrl } from "../src/engines/nats.ts";
import { certificateFiles, makeCertificates } from "../src/identity/certificates.ts";
import { binDir } from "../src/paths.ts";
import { Ports } from "../src/ports.ts";
import { Supervisor } from "../src/supervisor/supervisor.ts";
import { acceptsConnections } from "../src/supervisor/tcp.ts";

async function startMongod(supervisor: Supervisor, dir: string, port: number): Promise<void> {
  const engine = await findMongod({ binDir });
  await supervisor.add(await mongodProcess({ engine, port, dbPath: join(dir, "mongo"), passwordOf: () => "secret" }));
  await supervisor.ready("mongod");
}

async function countDocuments(port: number, insert: number): Promise<number> {
  const client = new MongoClient(mongodUrl(port, "operator", "secret"));
  try {
    const collection = client.db("test").collection("rows", { writeConcern: { w: "majority" } });
    if (insert > 0) await collection.insertMany(Array.from({ length: insert }, (_, n) => ({ n })));
    return await collection.countDocuments();
  } finally {
    await client.close();
  }
}

test("mongod is restarted after a SIGKILL on the same port with every acknowledged write", async () => {
  await withTemporaryDir(async (dir) => {
    const port = await (await Ports.load(join(dir, "ports.json"))).get("mongod");
    await using supervisor = Supervisor.start({ logDir: dir, report: () => {} });
    await startMongod(supervisor, dir, port);
    assert.equal(await countDocuments(port, 100), 100);
    await supervisor.kill("mongod");
    assert.equal(await countDocuments(port, 0), 100);
    assert.equal(supervisor.restarts("mongod"), 1);
  });
});

test("mongod keeps its data when its port changes", async () => {
  await withTemporaryDir(async (dir) => {
    const ports = await Ports.load(join(dir, "ports.json"));
    for (const name of ["before", "after"]) {
      const port = await ports.get(name);
      await using supervisor = Supervisor.start({ logDir: dir, report: () => {} });
      await startMongod(supervisor, dir, port);
      assert.equal(await countDocuments(port, name === "before" ? 10 : 0), 10);
    }
  });
});

test("a data directory without users keeps its data and then requires authentication", async () => {
  await withTemporaryDir(async (dir) => {
    const port = await (await Ports.load(join(dir, "ports.json"))).get("mongod");
    const engine = await findMongod({ binDir });
    await mkdir(join(dir, "mongo"));
    const address = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    {
      await using supervisor = Supervisor.start({ logDir: dir, report: () => {} });
      const args = [
        "--replSet",
        "rs0",
        "--bind_ip",
        "127.0.0.1",
        "--port",
        String(port),
        "--dbpath",
        join(dir, "mongo"),
      ];
      await supervisor.add({
        name: "mongod",
        command: [engine.path, ...args, "--nounixsocket"],
        cwd: dir,
        env: { ...engineEnv(), ...engine.env },
        isReady: async () => acceptsConnections(port),
      });
      await supervisor.ready("mongod");
      const client = await MongoClient.connect(address);
      const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
      await client.db("admin").command({ replSetInitiate: { _id: "rs0", members } });
      await waitFor(async () => (await client.db("admin").command({ hello: 1 }))["isWritablePrimary"] === true);
      await client.db("test").collection("rows").insertMany([{}, {}, {}]);
      await client.close();
    }
    await using supervisor = Supervisor.start({ logDir: dir, report: () => {} });
    await startMongod(supervisor, dir, port);
    assert.equal(await countDocuments(port, 0), 3);
    const stranger = await MongoClient.connect(address);
    const denied = { codeName: "Unauthorized" };
    await assert.rejects(stranger.db("test").collection("rows").findOne(), denied);
    await assert.rejects(stranger.db("admin").command({ createUser: "me", pwd: "me", roles: ["root"] }), denied);
    await stranger.close();
  });
});

test("nats-server is restarted after a SIGKILL with every acknowledged message", async () => {
  await withTemporaryDir(async (dir) => {
    const port = await (await Ports.load(join(dir, "ports.json"))).get("nats");
    const engine = await findNatsServer({ binDir });
    await makeCertificates(dir);
    const certificates = certificateFiles(dir, "nats-server");
    await using supervisor = Supervisor.start({ logDir: dir, report: () => {} });
    await supervisor.add(
      await natsProcess({ engine, port, dataDir: join(dir, "nats"), certificates, passwordOf: () => "secret" }),
    );
    await supervisor.ready("nats-server");
    const connection = await connect({
      ...natsOptions({ NATS_URL: natsUrl(port, "operator", "secret") }),
      maxReconnectAttempts: 200,
      reconnectTimeWait: 50,
    });
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: "EVENTS", subjects: ["events.>"] });
    for (let i = 0; i < 50; i++) await connection.jetstream().publish("events.test", `message ${i}`);
    await supervisor.kill("nats-server");
    await supervisor.ready("nats-server");
    await waitFor(() =>
      connection.flush().then(
        () => true,
        () => false,
      ),
    );
    assert.equal((await manager.streams.info("EVENTS")).state.messages, 50);
    await connection.close();
  });
});

test("an installed server is used if it is new enough, and otherwise ignored", async () => {
  await withTemporaryDir(async (dir) => {
    for (const version of ["2.9.1", "99.1.0"]) {
      await mkdir(join(dir, version));
      await writeFile(join(dir, version, "nats-server"), `#!/bin/sh\necho "nats-server: v${version}"\n`, {
        mode: 0o755,
      });
    }
    const own = await findNatsServer({ binDir, path: join(dir, "99.1.0") });
    assert.equal(own.path, join(dir, "99.1.0", "nats-server"));
    assert.match(own.chosen, /^nats-server 99\.1\.0 of this machine/);
    const fetched = await findNatsServer({ binDir, path: join(dir, "2.9.1") });
    assert.equal(fetched.version, "2.15.1");
  });
});

test("two fleets that download the same server concurrently both get it, and leave no partial file", async () => {
  await withTemporaryDir(async (dir) => {
    const options = { binDir: dir, path: "" };
    const [one, two] = await Promise.all([findNatsServer(options), findNatsServer(options)]);
    assert.equal(one.path, two.path);
    assert.deepEqual(await readdir(dir), [one.path.slice(dir.length + 1)]);
  });
});
