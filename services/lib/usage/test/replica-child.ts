import { GatewayError } from "@uag/contract/errors/gateway-error";
import { replica } from "@uag/harness/replica";
import { request, settlement } from "./harness.ts";

/**
 * A replica in a process of its own. Runs requests in a loop until it is killed, leaving some open
 * for ever; prints `started <id>`, `settled <id>` once the promise resolved, `open <id>` when it is
 * left open, and `refused <code>`.
 */
const [account = "", name = ""] = process.argv.slice(2);
const admission = await replica(process.env as Record<string, string>, { publish: { gatherMs: 20, confirmMs: 50 } });
const report = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
async function loop(worker: number): Promise<void> {
  for (let n = 0; ; n++) {
    const id = `${name}-${worker}-${n}`;
    try {
      const admitted = await admission.admit(request(account, id, 1_000n));
      await admitted.flushStarted();
      report(`started ${id}`);
      // The requests left open have one.
      if (n % 10 === 1)
        admitted.checkpoint({
          units: [{ name: "output_tokens", quantity: 7n }],
          costNanoUsd: 70n,
          isUpperBound: worker % 8 === 0,
        });
      if (worker % 4 === 0 && n === 1) {
        report(`open ${id}`);
        await new Promise(() => undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
      await admitted.settle(settlement(100n));
      report(`settled ${id}`);
    } catch (error) {
      report(`refused ${error instanceof GatewayError ? error.code : String(error)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
report("ready");
// A quarter of the workers leave a request open and stop there, so that every kill finds some.
await Promise.all(Array.from({ length: 40 }, (_, worker) => loop(worker)));
