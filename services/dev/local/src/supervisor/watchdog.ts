// Run by startWatchdog with the mark's value as its argument: waits for its input to close, then
// ends all remaining processes.
import { endTaggedProcesses } from "./tagged.ts";
import { markName } from "./watch.ts";

const graceMs = 5_000;
const [id] = process.argv.slice(2);

process.stdin.resume();
process.stdin.once("end", async () => {
  if (id !== undefined) await endTaggedProcesses(markName, id, graceMs);
  process.exit(0);
});
