import { setTimeout as sleep } from "node:timers/promises";
import { print } from "@uag/local/terminal/step";
import type { Gateway } from "../fleet/gateway.ts";
import { drain } from "./drain.ts";
import { kill, oom } from "./kill.ts";
import { type ProofName, proofNames } from "./names.ts";
import { network } from "./network.ts";
import { restore } from "./restore.ts";
import { roll, upgrade } from "./roll.ts";
import { rotate } from "./rotate.ts";
import { scale } from "./scale.ts";
import type { Around, Finding, Proof } from "./under-load.ts";
import { volume } from "./volume.ts";

/** A ready router may not have found every service yet. */
async function firstResponse(gateway: Gateway): Promise<Awaited<ReturnType<Gateway["send"]>>> {
  for (const deadline = performance.now() + 30_000; ; await sleep(500)) {
    const sent = await gateway.send({ words: 8, stream: false });
    if (sent.status === 200 || performance.now() > deadline) return sent;
  }
}

async function request({ gateway }: Around): Promise<Finding> {
  const before = await gateway.audit();
  const problems: string[] = [];
  const { status, text, cost } = await firstResponse(gateway);
  const { books, text: audited } = await gateway.audit(before.books.settledRequests + 1);
  const paid = books.charged - before.books.charged;
  if (status !== 200) problems.push(`${status} ${text}`);
  if (cost !== paid) problems.push(`the response cost ${cost} nano-dollars, the account paid ${paid}`);
  if (!/^exact$/m.test(audited)) problems.push(audited);
  return { figures: `${status}, ${cost} nano-dollars by the response and by the ledger; books exact`, problems };
}

const proofs: Readonly<Record<ProofName, Proof>> = {
  request,
  network,
  roll,
  kill,
  oom,
  volume,
  rotate,
  scale,
  drain,
  upgrade,
  restore,
};

const unended = (error: unknown): Finding => ({
  figures: "did not end",
  problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
});

/** Runs proofs one after another, and prints what each found. @returns the number that failed */
export async function runProofs(around: Around, only?: readonly string[]): Promise<number> {
  let failed = 0;
  for (const name of proofNames.filter((one) => only?.includes(one) ?? true)) {
    const startedAt = performance.now();
    const { figures, problems } = await proofs[name](around).catch(unended);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    print(`${problems.length === 0 ? "ok    " : "FAILED"} ${name.padEnd(8)} ${minutes.padStart(4)} min  ${figures}`);
    for (const problem of problems) print(`         ${problem}`);
    if (problems.length > 0) failed++;
  }
  return failed;
}
