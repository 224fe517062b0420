import type { Figures } from "../soak/figures.ts";
import { engines } from "./engines.ts";
import { overload } from "./overload.ts";
import { roll } from "./roll.ts";
import { scale } from "./scale.ts";

export interface RunOptions {
  readonly dataDir: string;
  readonly random: () => number;
  readonly seconds: number;
  readonly services?: readonly string[];
  report(line: string): void;
}

/** Something that operators do, or that happens to their engines. */
export interface Run {
  readonly about: string;
  run(options: RunOptions): Promise<Figures>;
}

/** For people: what was done, by name. */
const showDone = (done: ReadonlyMap<string, number>): string =>
  [...done].map(([name, count]) => `${name} ${count}`).join(", ");

/** How long each number of replicas is kept. */
const scaleSeconds = 5;
const phaseSeconds = 10;
/** How long a server of an engine is away. */
const lossSeconds = 8;

/** Everything that `npm run roll` can run, by name. */
export const runs: Readonly<Record<string, Run>> = {
  roll: {
    about: "restarts each process in order, changes the catalogue and every certificate: no request fails",
    async run({ seconds, ...options }) {
      const { figures, done, failed } = await roll({ ...options, streamSeconds: seconds });
      options.report(`done: ${showDone(done)}; failed: ${failed}`);
      return figures;
    },
  },
  scale: {
    about: "takes every service from one replica to three and back: new ones get traffic within 30 s, nothing is lost",
    async run(options) {
      const { figures, done, failed } = await scale({ ...options, seconds: Math.min(options.seconds, scaleSeconds) });
      options.report(`done: ${showDone(done)}; failed: ${failed}`);
      return figures;
    },
  },
  overload: {
    about: "five times as many clients as can be served: refused at once, and as many as before are answered",
    run: (options) => overload({ ...options, seconds: Math.min(options.seconds, phaseSeconds) }),
  },
  engines: {
    about: "loses one of three servers of MongoDB and of NATS after the other: nothing is lost or doubled",
    run: (options) => engines({ ...options, seconds: Math.min(options.seconds, lossSeconds) }),
  },
};
