import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { MongoClient } from "mongodb";
import { findMongod } from "../src/engines/find.ts";
import { isPassing } from "../src/engines/mongo-client.ts";
import { type Member, tendMember } from "../src/engines/mongo-set.ts";
import { issue, makeAuthority } from "../src/identity/authority.ts";
import { binDir } from "../src/paths.ts";
import { Ports } from "../src/ports.ts";
import { Supervisor } from "../src/supervisor/supervisor.ts";

const usual = { operator: "the operator's password", billing: "the password of billing" };
const set = "rs-test";

/** Three servers as in the chart, each with TLS, member certificates and a socket. */
class Servers implements AsyncDisposable {
  readonly members: readonly Member[];
  readonly #supervisor: Supervisor;
  readonly #dir: string;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    members: readonly Member[],
    of: { supervisor: Supervisor; dir: string; resources: AsyncDisposableStack },
  ) {
    this.members = members;
    this.#supervisor = of.supervisor;
    this.#dir = of.dir;
    this.#resources = of.resources;
  }

  static async start(): Promise<Servers> {
    await using resources = new AsyncDisposableStack();
    const dir = await mkdtemp(join(tmpdir(), "mongo-set-"));
    resources.defer(() => rm(dir, { recursive: true, force: true }));
    const [certificate, caFile] = [join(dir, "member.pem"), join(dir, "ca.crt")];
    const authority = await makeAuthority();
    const pair = await issue(authority, { commonName: set, organization: set, dns: ["localhost"] });
    await writeFile(certificate, pair.key + pair.cert);
    await writeFile(caFile, authority.cert);
    const ports = resources.use(await Ports.load(join(dir, "ports.json")));
    const hosts = await Promise.all([0, 1, 2].map(async (n) => `localhost:${await ports.get(`member-${n}`)}`));
    const supervisor = resources.use(Supervisor.start({ logDir: join(dir, "log"), report: () => undefined }));
    const engine = await findMongod({ binDir });
    const members: Member[] = [];
    for (const [n, host] of hosts.entries()) {
      const [home, socket] = [join(dir, String(n)), join(dir, `${n}.sock`)];
      await mkdir(home);
      const port = host.split(":")[1] ?? "";
      const args = [`--replSet=${set}`, `--bind_ip=127.0.0.1,${socket}`, `--unixSocketPrefix=${dir}`, `--port=${port}`];
      args.push(`--dbpath=${home}`, "--auth", "--tlsMode=requireTLS", `--tlsCertificateKeyFile=${certificate}`);
      args.push(`--tlsCAFile=${caFile}`, "--tlsAllowConnectionsWithoutCertificates", "--clusterAuthMode=x509");
      args.push("--wiredTigerCacheSizeGB=0.25", "--oplogSize=990", "--quiet");
      args.push("--setParameter=shutdownTimeoutMillisForSignaledShutdown=100");
      const isReady = async () => true;
      await supervisor.add({
        name: `member-${n}`,
        command: [engine.path, ...args],
        env: engine.env,
        cwd: dir,
        isReady,
      });
      members.push({ socket, set, members: hosts, first: n === 0, caFile });
    }
    return new Servers(members, { supervisor, dir, resources: resources.move() });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  /** Runs the sidecar of all members until clients may use each of them. */
  async tended(passwords = usual): Promise<void> {
    const tend = (member: Member): Promise<boolean> =>
      tendMember(member, passwords, passwords !== usual).catch((error: unknown) => {
        if (isPassing(error)) return false;
        throw error;
      });
    const all = async (): Promise<boolean> => (await Promise.all(this.members.map(tend))).every((ready) => ready);
    await waitFor(all, { timeoutMs: 120_000, everyMs: 500, what: "all members to be ready" });
  }

  urlOf(user: keyof typeof usual, password = usual[user]): string {
    const [{ members, caFile }] = this.members as [Member];
    const login = `${user}:${encodeURIComponent(password)}`;
    return `mongodb://${login}@${members.join()}/?replicaSet=${set}&authSource=admin&tls=true&tlsCAFile=${caFile}`;
  }

  /** Restarts a member with an empty volume. */
  async loseVolume(n: number): Promise<void> {
    await this.#supervisor.takeDown(`member-${n}`);
    const home = join(this.#dir, String(n));
    await rm(home, { recursive: true });
    await mkdir(home);
    await this.#supervisor.restart(`member-${n}`);
  }
}

async function setIdOf(client: MongoClient): Promise<string> {
  const { config } = await client.db("admin").command({ replSetGetConfig: 1 });
  return String(config.settings.replicaSetId);
}

test("three members form one set with its users, and a first member that lost its volume rejoins it", async () => {
  await using servers = await Servers.start();
  await servers.tended();
  await using operator = await MongoClient.connect(servers.urlOf("operator"));
  const id = await setIdOf(operator);
  await using billing = await MongoClient.connect(servers.urlOf("billing"));
  const ledger = billing.db("billing").collection<{ _id: string }>("ledger");
  await ledger.insertOne({ _id: "kept" }, { writeConcern: { w: 3 } });
  await assert.rejects(ledger.deleteOne({ _id: "kept" }), /not authorized/);
  await assert.rejects(billing.db("metering").collection("x").findOne(), /not authorized/);

  await servers.loseVolume(0);
  await servers.tended();
  assert.equal(await setIdOf(operator), id);
  assert.equal((await operator.db("admin").command({ replSetGetConfig: 1 }))["config"].members.length, 3);
  const own = `${servers.urlOf("operator").replace(/@[^/]+/, `@${servers.members[0]?.members[0]}`)}&directConnection=true`;
  await using first = await MongoClient.connect(own.replace(`replicaSet=${set}&`, ""));
  const copy = first.db("billing").collection<{ _id: string }>("ledger");
  const kept = () => copy.findOne({ _id: "kept" }, { readPreference: "secondaryPreferred" });
  assert.deepEqual(await waitFor(kept, { what: "the copy of the ledger" }), { _id: "kept" });
});

test("a changed password applies to the next connection", async () => {
  await using servers = await Servers.start();
  await servers.tended();
  const billing = "another password of billing";
  await servers.tended({ ...usual, billing });
  await using _now = await MongoClient.connect(servers.urlOf("billing", billing));
  await assert.rejects(MongoClient.connect(servers.urlOf("billing")), /Authentication failed/);
});
