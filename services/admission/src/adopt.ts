import { setTimeout as sleep } from "node:timers/promises";
import { crashPoint } from "@uag/kit/crash-point.ts";
import type { JournalHome } from "@uag/kit/journal/home.ts";
import type { Journal } from "@uag/kit/journal/journal.ts";
import { leave } from "./leave.ts";
import type { Meters } from "./meters.ts";
import { completeJournal } from "./recover.ts";
import type { Setting } from "./setting.ts";

export interface AdopterOptions {
  readonly setting: Setting;
  readonly home: JournalHome;
  /** This process: makes the batch ids of adopted journals differ from those of the dead process. */
  readonly owner: string;
  readonly everyMs: number;
  readonly meters: Meters;
  readonly signal: AbortSignal;
}

/** Looks for the journals of dead processes on this volume, now and every so often, and brings them home. */
export async function adoptForever(options: AdopterOptions): Promise<void> {
  const { home, everyMs, signal, setting } = options;
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    const adopted = await home.adopt().catch((error: unknown) => {
      setting.log.error({ err: error }, "cannot look for the journals of dead processes");
      return [];
    });
    for (const { id, journal } of adopted) {
      const work = bringHome(options, id, journal)
        .catch((error: unknown) => setting.log.error({ err: error, holderId: id }, "an adopted journal has to wait"))
        .finally(() => running.delete(work));
      running.add(work);
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  await Promise.all(running);
}

async function bringHome(options: AdopterOptions, id: string, journal: Journal): Promise<void> {
  const { setting, owner, meters, signal } = options;
  const { holderIds, crashed } = await completeJournal(journal, setting.clock.now());
  holderIds.add(id);
  crashPoint("adopted");
  meters.crashed.inc(crashed);
  setting.log.info({ holderId: id, crashed, bytes: journal.bytes }, "adopted the journal of a process that is gone");
  const publisher = setting.publisher({
    journal,
    holderId: id,
    batchPrefix: `${id}/${owner}`,
    confirmed: () => setting.quiet(journal.trim(publisher.keepSegment)),
  });
  if (await leave(setting, { holderIds, journal, publisher }, signal)) {
    setting.log.info({ holderId: id }, "all usage of that process is applied");
  }
}
