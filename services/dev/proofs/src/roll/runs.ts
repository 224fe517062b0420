import type { Figures } from "../soak/figures.ts";
import { engines } from "./engines.ts";
import type { ChangeReport } from "./fleet.ts";
import { overload } from "./overload.ts";
import { roll } from "./roll.ts";
import { scale } from "./scale.ts";
import { secrets } from "./secrets.ts";
import { upgrade } from "./upgrade.ts";

interface RunOptions {
  readonly dataDir: string;
  readonly random: () => number;
  /** Duration of a phase, seconds. */
  readonly seconds?: number;
  /** Duration of a long stream, seconds. */
  readonly streamSeconds?: number;
  readonly services?: readonly string[];
  /** The git reference of the previous release. */
  readonly from?: string;
  /** Whether the upgrade replaces one process of every service at the same time. */
  readonly atOnce?: boolean;
  report(line: string): void;
}

/** An operator's action, or a failure of an engine. */
export interface Run {
  readonly about: string;
  run(options: RunOptions): Promise<Figures>;
}

/** For people: the counts of actions, by name. */
const showDone = (done: ReadonlyMap<string, number>): string =>
  [...done].map(([name, count]) => `${name} ${count}`).join(", ");

async function shown({ report }: RunOptions, work: Promise<ChangeReport>): Promise<Figures> {
  const { figures, done, failed } = await work;
  report(`done: ${showDone(done)}; failed: ${failed}`);
  return figures;
}

/** Everything that `npm run roll` can run, by name. */
export const runs: Readonly<Record<string, Run>> = {
  roll: {
    about:
      "restarts each process in order, changes the catalogue and every certificate: no request fails (streams of 90 s)",
    run: (options) => shown(options, roll({ streamSeconds: 90, ...options })),
  },
  scale: {
    about:
      "scales every service from one replica to three and back: new replicas get traffic within 30 s, nothing is lost (phases and streams of 5 s)",
    run: (options) => shown(options, scale({ seconds: 5, streamSeconds: 5, ...options })),
  },
  upgrade: {
    about:
      "upgrades the previous release to this checkout, process by process, and rolls back: no request fails (streams of 10 s)",
    run: (options) => shown(options, upgrade({ streamSeconds: 10, ...options })),
  },
  secrets: {
    about:
      "replaces every secret and every certificate in three rolls: no request fails, and objects made under the old ones stay valid (streams of 5 s)",
    run: (options) => shown(options, secrets({ streamSeconds: 5, ...options })),
  },
  overload: {
    about:
      "runs five times as many clients as can be served: the excess is refused at once, and goodput stays the same (phases of 10 s)",
    run: (options) => overload({ seconds: 10, ...options }),
  },
  engines: {
    about: "kills one of three servers of MongoDB and of NATS after another: nothing is lost or duplicated (for 8 s)",
    run: (options) => engines({ seconds: 8, ...options }),
  },
};
