import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuBetween, parseMachineBusy, parseResidentKib, parseStat, type Usage } from "./proc.ts";

// pid, name, state, parent, ..., utime 250, stime 50, cutime 7, cstime 3, ..., start time 98765.
const stat = (name: string) =>
  `4242 (${name}) S 17 4242 4242 0 -1 4194304 9000 0 0 0 250 50 7 3 20 0 11 0 98765 1200000000 31000 18446744073709551615 1 1 0 0 0\n`;

test("processor time is user and system time, including reaped children's", () => {
  assert.deepEqual(parseStat(stat("node")), { pid: 4242, parent: 17, cpuSeconds: 3.1, startTick: 98765 });
});

test("a process name with spaces and parentheses does not shift the fields", () => {
  assert.deepEqual(parseStat(stat("a) R 1 (b")), parseStat(stat("node")));
});

test("resident memory is read in KiB, and a missing value is an error", () => {
  assert.equal(
    parseResidentKib("558ba8a46000-7fff7c61a000 ---p 0 0 0 [rollup]\nRss:      1780 kB\nPss: 351 kB\n"),
    1780,
  );
  assert.throws(() => parseResidentKib("Pss: 351 kB\n"));
});

const usage = (cpuSeconds: number, startTick: number): Usage => ({
  cpuSeconds: new Map([["router", cpuSeconds]]),
  startTicks: new Map([["router", startTick]]),
});

test("the time between two readings is reported by process, and a restart in between is an error", () => {
  assert.deepEqual(cpuBetween(usage(1.5, 7), usage(4, 7)), new Map([["router", 2.5]]));
  assert.throws(() => cpuBetween(usage(1.5, 7), usage(0.1, 900)), /router was restarted/);
});

test("the machine's busy time excludes idling and waiting for disks", () => {
  assert.equal(parseMachineBusy("cpu  100 10 50 9999 777 3 7 30 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n"), 2);
});
