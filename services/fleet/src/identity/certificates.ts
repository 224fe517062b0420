import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Peer, peers } from "@uag/kit/rpc/access.ts";
import type { CertificateFiles } from "@uag/kit/rpc/certificates.ts";
import { uriOf } from "@uag/kit/rpc/peer.ts";
import { writePrivate } from "../private-file.ts";
import { type CertificateNames, isFresh, issue, makeAuthority, type Pair } from "./authority.ts";

/** Who has a certificate: every peer, and the broker, which is told apart by its address. */
export type Named = Peer | "nats-server";

const dirOf = (dataDir: string): string => join(dataDir, "tls");

/** Where a fleet keeps what one of its processes shows to the others. */
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

/** The pair of a name: the one there is while it is fresh, else a new one. */
async function keep(path: string, signer: Pair | undefined, make: () => Promise<Pair>): Promise<Pair> {
  const kept = await readPair(path);
  if (kept !== undefined && isFresh(kept.cert, (signer ?? kept).cert)) return kept;
  const made = await make();
  // The key first: a certificate is never there without its key, and one without its certificate is
  // made again.
  await writePrivate(`${path}.key`, made.key);
  await writePrivate(`${path}.crt`, made.cert);
  return made;
}

/**
 * Sees to it that every process of the fleet has a certificate of the fleet's own authority, made
 * at the first start and again at one in the last third of its life. Call while nothing of the
 * fleet runs: a new authority takes all along.
 */
export async function makeCertificates(dataDir: string): Promise<void> {
  const dir = dirOf(dataDir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const authority = await keep(join(dir, "ca"), undefined, () => makeAuthority());
  for (const name of [...peers, "nats-server"] as const) {
    await keep(join(dir, name), authority, () => issue(authority, namesOf(name)));
  }
}
