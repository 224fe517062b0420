import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { type Peer, peers } from "@uag/contract/access/rpc";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { waitFor } from "@uag/harness/testing/wait-for";
import { AuditResponse, type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { ConfigError, readConfig, tlsSettings } from "@uag/runtime/config";
import { createLogger } from "@uag/runtime/log";
import type { CertificateFiles } from "@uag/runtime/rpc/certificates";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { type Identity, identityFrom, insecure, openIdentity } from "@uag/runtime/rpc/identity";
import { inProcess } from "@uag/runtime/rpc/in-process";
import { uriOf } from "@uag/runtime/rpc/peer";
import { type CallerOf, listen, serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { z } from "zod";
import { caDays, isFresh, issue, leafDays, makeAuthority, type Pair } from "../src/identity/authority.ts";
import { certificateFiles, makeCertificates } from "../src/identity/certificates.ts";

const log = createLogger({ service: "test", level: "silent" });
const dayMs = 86_400_000;
const host = "127.0.0.1";

/** A ledger that returns the caller's identity to every service that may audit it. */
async function serveLedger(identity: Identity) {
  const settle = () => Promise.reject(new Error("settle is not implemented"));
  const listEntries = async () => ({ entries: [], nextCursor: "" });
  const audit = async (_: unknown, who: CallerOf) => AuditResponse.fromPartial({ violations: [who() ?? "nobody"] });
  const services = [unaryService<LedgerServiceServer>(LedgerServiceService, { settle, listEntries, audit }, log)];
  const { server, port } = await listen({ host, port: 0, identity, services });
  return { port, [Symbol.dispose]: () => server.forceShutdown() };
}

/** Calls once; returns the caller's identity as seen by the server, or the error. */
async function audit(port: number, identity: Identity): Promise<string> {
  using client = createRpcClient<LedgerServiceServer>(LedgerServiceService, `${host}:${port}`, identity);
  try {
    const { violations } = await client.audit({}, { timeoutMs: 30_000 });
    return violations[0] ?? "";
  } catch (error) {
    const cause = (error as Error).cause as ServiceError;
    return status[cause.code] ?? String(cause.code);
  }
}

async function save(dir: string, name: string, pair: Pair, ca: string): Promise<CertificateFiles> {
  const files = { cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`), ca: join(dir, `${name}.ca`) };
  await writeFile(files.cert, pair.cert);
  await writeFile(files.key, pair.key);
  await writeFile(files.ca, ca);
  return files;
}

// A connection that is still in its handshake outlives grpc-js's forceShutdown, and would keep this
// process alive at the end.
after(() => void setTimeout(2_000, undefined, { ref: false }).then(() => process.exit()));

/** Where a caller is: on a connection, or in the server's process. */
const places: Record<string, (identity: Identity) => ReturnType<typeof serveLedger>> = {
  "on a connection": serveLedger,
  "in one process": async (identity) => {
    const server = await serveLedger(identity);
    inProcess.share([`${host}:${server.port}`]);
    return server;
  },
};

const named = (peer: Peer) => ({ commonName: peer, uri: uriOf(peer) });

for (const [place, serveAt] of Object.entries(places)) {
  test(`${place}, only a caller with a valid certificate of a service in the table is accepted`, async () => {
    await withTemporaryDir(async (dir) => {
      const [ours, theirs] = [await makeAuthority(), await makeAuthority()];
      const of = async (name: string, pair: Pair) => identityFrom(await save(dir, name, pair, ours.cert));
      const longAgo = Date.now() - 2 * leafDays * dayMs;
      const billing = await of("billing", await issue(ours, named("billing")));
      using server = await serveAt(billing);
      assert.equal(await audit(server.port, await of("operator", await issue(ours, named("operator")))), "operator");
      const strangers: Record<string, [Identity, string]> = {
        plaintext: [insecure, "UNAVAILABLE"],
        otherAuthority: [await of("other", await issue(theirs, named("operator"))), "UNAVAILABLE"],
        expired: [await of("expired", await issue(ours, named("operator"), longAgo)), "UNAVAILABLE"],
        otherService: [await of("chat", await issue(ours, named("chat"))), "PERMISSION_DENIED"],
        nobody: [await of("nobody", await issue(ours, { commonName: "operator" })), "UNAUTHENTICATED"],
        host: [await of("host", await issue(ours, { commonName: "operator", dns: ["operator"] })), "UNAUTHENTICATED"],
      };
      for (const [name, [identity, code]] of Object.entries(strangers)) {
        assert.equal(await audit(server.port, identity), code, name);
      }
    });
  });

  test(`${place}, a fleet of another trust domain under the same CA can neither call nor serve, unless its domain is accepted`, async () => {
    await withTemporaryDir(async (dir) => {
      const authority = await makeAuthority();
      const of = async (peer: Peer, trustDomain: string, trustDomains = [trustDomain]) => {
        const pair = await issue(authority, { commonName: peer, uri: uriOf(peer, trustDomain) });
        return identityFrom(await save(dir, `${trustDomain}-${peer}`, pair, authority.cert), { trustDomains });
      };
      using production = await serveAt(await of("billing", "production"));
      using either = await serveAt(await of("billing", "production", ["production", "staging"]));
      const staging = await of("operator", "staging", ["staging", "production"]);
      assert.equal(await audit(production.port, await of("operator", "production")), "operator");
      assert.equal(await audit(production.port, staging), "UNAUTHENTICATED");
      assert.equal(await audit(either.port, staging), "operator");
      // It rejects the server's certificate.
      assert.equal(await audit(either.port, await of("operator", "staging")), "UNAVAILABLE");
    });
  });

  test(`${place}, a caller connects only to the intended server, with an unexpired certificate of its own CA`, async () => {
    await withTemporaryDir(async (dir) => {
      const [ours, theirs] = [await makeAuthority(), await makeAuthority()];
      const of = async (name: string, pair: Pair, ca = ours) => identityFrom(await save(dir, name, pair, ca.cert));
      const operator = await of("operator", await issue(ours, named("operator")));
      const longAgo = Date.now() - 2 * leafDays * dayMs;
      const servers: Record<string, Identity> = {
        plaintext: insecure,
        otherService: await of("chat", await issue(ours, named("chat"))),
        host: await of("host", await issue(ours, { commonName: "billing", dns: ["gateway"], ip: [host] })),
        expired: await of("expired", await issue(ours, named("billing"), longAgo)),
        // The server would accept the caller, but the caller does not accept the server as billing.
        otherAuthority: await of("other", await issue(theirs, named("billing"))),
      };
      for (const [name, identity] of Object.entries(servers)) {
        using server = await serveAt(identity);
        assert.equal(await audit(server.port, operator), "UNAVAILABLE", name);
      }
    });
  });
}

test("a caller without a certificate is refused", async () => {
  await withTemporaryDir(async (dir) => {
    const ours = await makeAuthority();
    const billing = identityFrom(await save(dir, "billing", await issue(ours, named("billing")), ours.cert));
    using server = await serveLedger(billing);
    const bare = new Client(`${host}:${server.port}`, credentials.createSsl(Buffer.from(ours.cert)), {
      "grpc.ssl_target_name_override": "billing",
    });
    const { path, requestSerialize, responseDeserialize } = LedgerServiceService.audit;
    const failure = await new Promise<ServiceError | null>((resolve) => {
      const deadline = Date.now() + 30_000;
      bare.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, new Metadata(), { deadline }, resolve);
    });
    bare.close();
    assert.equal(failure?.code, status.UNAVAILABLE);
  });
});

test("both ends use replaced certificates without a restart, and ignore partially written ones", async () => {
  await withTemporaryDir(async (dir) => {
    const before = await makeAuthority();
    const changes: unknown[] = [];
    const options = { everyMs: 20, onChange: (failure: unknown) => changes.push(failure) };
    const files = await save(dir, "billing", await issue(before, named("billing")), before.cert);
    using server = await serveLedger(identityFrom(files, options));
    const callerFiles = await save(dir, "operator", await issue(before, named("operator")), before.cert);
    const caller = identityFrom(callerFiles, { everyMs: 20 });
    assert.equal(await audit(server.port, caller), "operator");

    await writeFile(files.key, (await issue(before, named("billing"))).key);
    await waitFor(() => changes.length > 0);
    assert.ok(changes[0] instanceof Error);
    assert.equal(await audit(server.port, caller), "operator");

    const after = await makeAuthority();
    await save(dir, "billing", await issue(after, named("billing")), after.cert);
    await waitFor(() => changes.includes(undefined));
    assert.equal(await audit(server.port, caller), "UNAVAILABLE");
    await save(dir, "operator", await issue(after, named("operator")), after.cert);
    await waitFor(async () => (await audit(server.port, caller)) === "operator");
  });
});

test("a service without TLS settings starts only with TLS=off", () => {
  const read = (env: Record<string, string>): Identity => openIdentity(readConfig(z.object(tlsSettings), env), log);
  assert.throws(() => read({}), ConfigError);
  assert.throws(() => read({ TLS_CERT_FILE: "/a", TLS_KEY_FILE: "/b" }), /TLS_CA_FILE/);
  assert.throws(() => read({ TLS_CERT_FILE: "/a", TLS_KEY_FILE: "/b", TLS_CA_FILE: "/c" }), /ENOENT/);
  assert.throws(() => read({ TLS: "no" }), ConfigError);
  assert.equal(read({ TLS: "off" }).enforced, false);
});

test("a fleet creates its certificates once, readable only by its user, and renews them before they expire", async () => {
  await withTemporaryDir(async (dir) => {
    await makeCertificates(dir);
    const read = async (name: string): Promise<string> => readFile(join(dir, "tls", `${name}.crt`), "utf8");
    const first = await Promise.all(["ca", ...peers].map(read));
    await makeCertificates(dir);
    assert.deepEqual(await Promise.all(["ca", ...peers].map(read)), first);
    assert.equal((await stat(join(dir, "tls"))).mode & 0o777, 0o700);
    for (const name of ["ca", ...peers]) {
      assert.equal((await stat(join(dir, "tls", `${name}.key`))).mode & 0o777, 0o600, name);
    }
    // Simulates a certificate that was created long ago.
    const lastThird = Date.now() - 0.7 * leafDays * dayMs;
    const authority = { cert: await read("ca"), key: await readFile(join(dir, "tls/ca.key"), "utf8") };
    const old = await issue(authority, named("chat"), lastThird);
    await writeFile(certificateFiles(dir, "chat").cert, old.cert);
    await writeFile(certificateFiles(dir, "chat").key, old.key);
    assert.equal(isFresh(old.cert, authority.cert), false);
    await makeCertificates(dir);
    assert.notEqual(await read("chat"), old.cert);
    assert.equal(await read("video"), first[1 + peers.indexOf("video")]);

    const oldAuthority = await makeAuthority(Date.now() - 0.7 * caDays * dayMs);
    await mkdir(join(dir, "later/tls"), { recursive: true });
    await writeFile(join(dir, "later/tls/ca.crt"), oldAuthority.cert);
    await writeFile(join(dir, "later/tls/ca.key"), oldAuthority.key);
    await makeCertificates(join(dir, "later"));
    assert.notEqual(await readFile(join(dir, "later/tls/ca.crt"), "utf8"), oldAuthority.cert);
  });
});

test("a service stops in time although a client never finishes its handshake", async () => {
  await withTemporaryDir(async (dir) => {
    await makeCertificates(dir);
    const identity = identityFrom(certificateFiles(dir, "billing"));
    const server = await serveRpc({ host, port: 0, identity, services: [], stopTimeoutMs: 100 });
    const silent = connect(server.port, host);
    await once(silent, "connect");
    const stopped = server[Symbol.asyncDispose]();
    const waited = setTimeout(60_000, "never", { ref: false });
    assert.equal(await Promise.race([stopped, waited]), undefined);
    silent.destroy();
  });
});
