import { openJournalDirectory } from "../../src/journal/directory.ts";

/** Appends numbered records for ever and prints each number once its append is acknowledged. */
await using home = await openJournalDirectory({
  dir: process.argv[2] as string,
  owner: process.argv[3] as string,
  journal: {
    segmentBytes: 64 * 1024,
    damaged: (damage) => process.stderr.write(JSON.stringify(damage)),
    failed: (error) => process.stderr.write(String(error)),
  },
});
const journal = await home.create("child");
const filler = "y".repeat(200);
for (let next = 0; ; ) {
  const group: number[] = [];
  const appends: Promise<void>[] = [];
  for (let n = 0; n < 16; n++) {
    group.push(next);
    appends.push(journal.append(Buffer.from(`${next++} ${filler}`)));
  }
  await Promise.all(appends);
  process.stdout.write(`${group.join("\n")}\n`);
}
