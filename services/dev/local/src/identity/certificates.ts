import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Peer, peers } from "@uag/contract/access/rpc";
import type { CertificateFiles } from "@uag/runtime/rpc/certificates";
import { uriOf } from "@uag/runtime/rpc/peer";
import { writePrivate } from "../private-file.ts";
import { type CertificateNames, isFresh, issue, makeAuthority, type Pair } from "./authority.ts";

/** Names with a certificate: every peer, and the broker, which clients verify by its address. */
export type Named = Peer | "nats-server";

const dirOf = (dataDir: string): string => join(dataDir, "tls");

/** The path of the certificate of a fleet's process. */
export function certificateFiles(dataDir: string, name: Named): CertificateFiles {
  const dir = dirOf(dataDir);
  return { cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`), ca: join(dir, "ca.crt") };
}

function namesOf(name: Named): CertificateNames {
  if (name === "nats-server") return { commonName: name, dns: ["localhost"], ip: ["127.0.0.1"] };
  return { commonName: name, uri: uriOf(name) };
}

async function readPair(path: string): Promise<Pair | undefined> {
  try {
    return { cert: await readFile(`${path}.crt`, "utf8"), key: await readFile(`${path}.key`, "utf8") };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The pair for a name: the existing one while it is fresh, else a new one. */
async function keep(path: string, signer: Pair | undefined, make: () => Promise<Pair>): Promise<Pair> {
  const kept = await readPair(path);
  if (kept !== undefined && isFresh(kept.cert, (signer ?? kept).cert)) return kept;
  const made = await make();
  // Writes the key first: a certificate never exists without its key, and a key without a
  // certificate is replaced.
  await writePrivate(`${path}.key`, made.key);
  await writePrivate(`${path}.crt`, made.cert);
  return made;
}

const named = [...peers, "nats-server"] as const;

/** Replaces every certificate while the fleet runs; its processes reload them automatically. */
export async function renewCertificates(dataDir: string): Promise<void> {
  const dir = dirOf(dataDir);
  const authority = await readPair(join(dir, "ca"));
  if (authority === undefined) throw new Error(`${dir} has no certification authority`);
  for (const name of named) {
    const { cert, key } = await issue(authority, namesOf(name));
    await writePrivate(join(dir, `${name}.key`), key);
    await writePrivate(join(dir, `${name}.crt`), cert);
  }
}

/**
 * Ensures that every process of the fleet has a certificate of the fleet's own authority, issued on
 * first start and renewed on a start in the last third of its lifetime. Call it while nothing of
 * the fleet runs: a new authority replaces all certificates.
 */
export async function makeCertificates(dataDir: string): Promise<void> {
  const dir = dirOf(dataDir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const authority = await keep(join(dir, "ca"), undefined, () => makeAuthority());
  for (const name of named) {
    await keep(join(dir, name), authority, () => issue(authority, namesOf(name)));
  }
}
