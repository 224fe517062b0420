import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Damage, Journal, JournalSettings, Position } from "../../src/journal/journal.ts";

export async function scratch(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), "journal-"));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

export function settings(
  more: Partial<JournalSettings> = {},
): JournalSettings & { damages: Damage[]; failures: unknown[] } {
  const damages: Damage[] = [];
  const failures: unknown[] = [];
  return { damaged: (d) => damages.push(d), failed: (e) => failures.push(e), ...more, damages, failures };
}

export async function readAll(journal: Journal, from: Position = journal.start): Promise<string[]> {
  const found: string[] = [];
  for (let at = from; ; ) {
    const next = await journal.read(at, (payload) => {
      found.push(payload.toString());
      return true;
    });
    if (next.segment === at.segment && next.offset === at.offset) return found;
    at = next;
  }
}
