import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { filledPath } from "@uag/contract/routes";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { readCrashLog } from "@uag/local/crash-log";
import { type Attack, attacksOn } from "./attacks.ts";
import { Gauges } from "./gauges.ts";
import { UnfundedKeys } from "./poor-keys.ts";
import { send } from "./send.ts";
import { type Target, targets } from "./targets.ts";
import type { ThirdParty } from "./third-party.ts";

export interface StormOptions {
  readonly fleet: TestFleet;
  readonly thirdParty: ThirdParty;
  readonly durationMs: number;
  /** The same seed produces the same attacks in the same order. */
  readonly seed: number;
  /** Concurrent attackers. */
  readonly attackers: number;
}

export interface StormResult {
  readonly attacks: number;
  /** Number of attacks by response. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** One sentence per process that ended. */
  readonly crashes: readonly string[];
  /** Unexpected responses to other clients. */
  readonly failedNeighbours: readonly string[];
  readonly neighbourMs: number;
}

const timeoutMs = 15_000;
const maxHops = 400;

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

/** JSON of random structure, from the names and values that requests use. */
function randomJson(random: () => number, deep = 0): unknown {
  const words = ["model", "messages", "input", "content", "role", "url", "__proto__", "n", "", "汉", "\u0000", "tools"];
  const values = [
    0,
    -1,
    1e308,
    2 ** 53,
    true,
    null,
    "",
    "x".repeat(Math.floor(random() * 2_000)),
    "gpt-4o-mini",
    "user",
  ];
  const kind = random();
  if (deep > 8 || kind < 0.4) return pick(values, random);
  const many = Math.floor(random() * 6);
  if (kind < 0.7) return Array.from({ length: many }, () => randomJson(random, deep + 1));
  return Object.fromEntries(Array.from({ length: many }, () => [pick(words, random), randomJson(random, deep + 1)]));
}

/** An attack from the table, corrupted, or something that was never a valid request. */
function randomAttack(target: Target, ways: readonly Attack[], random: () => number): Attack {
  const ids = ["x", "%00", "..%2f", "a".repeat(2_000), "cgt-1", target.id ?? "x"];
  const path = filledPath(target.path, () => pick(ids, random));
  const headers = {
    "content-type": pick(["application/json", "text/plain", "multipart/form-data; boundary=b"], random),
  };
  const kind = random();
  if (kind < 0.25) return pick(ways, random);
  if (kind < 0.5) {
    const fill = randomJson(random);
    const body = target.sample === undefined || random() < 0.3 ? fill : target.sample(fill);
    return { name: "random JSON", path, headers, body: () => [Buffer.from(JSON.stringify(body))] };
  }
  const whole = Buffer.concat(pick(ways, random).body()).subarray(0, 64 * 1024);
  for (let i = 0; i < 20 && whole.length > 0; i++)
    whole[Math.floor(random() * whole.length)] = Math.floor(random() * 256);
  const left = random() < 0.3;
  return {
    name: "damaged",
    path,
    headers: left ? { ...headers, "content-length": "1000000" } : headers,
    body: () => [whole],
    ...(left && { pauseMs: 5 }),
  };
}

/** Bytes that are not a request, on a connection that is cut at some point. */
function sendNoise(baseUrl: string, random: () => number): Promise<string> {
  const { port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => resolve("noise"));
    socket.on("close", () => resolve("noise"));
    socket.setTimeout(2_000, () => socket.destroy());
    const lines = [
      "GET / HTTP/1.1",
      "POST /v1/messages HTTP/1.1",
      "host: a",
      "transfer-encoding: chunked",
      "ffffffff",
      "\0\r",
    ];
    for (let i = 0; i < 10; i++) socket.write(`${pick(lines, random)}${pick(["\r\n", "\n", ""], random)}`);
    setTimeout(() => socket.destroy(), 50 + random() * 200);
  });
}

/** Attacks every path in turn, by the table and at random, while others use the fleet. */
export async function storm(options: StormOptions): Promise<StormResult> {
  const { fleet, thirdParty, durationMs, seed, attackers } = options;
  await using gauges = new Gauges(fleet);
  const keys = new UnfundedKeys(fleet.run);
  const outcomes = new Map<string, number>();
  const all = targets();
  const end = performance.now() + durationMs;
  const crashesBefore = (await readCrashLog(fleet.dataDir)).length;
  const attack = async (random: () => number): Promise<void> => {
    let key = await keys.next();
    for (let n = 1; performance.now() < end; n++) {
      if (n % maxHops === 0) key = await keys.next();
      if (random() < 0.1) await sendNoise(fleet.run.base_url, random);
      const target = pick(all, random);
      const drawn = randomAttack(target, [...attacksOn(target, thirdParty.url)], random);
      const outcome = await send(drawn, { baseUrl: fleet.run.base_url, method: target.method, key, timeoutMs });
      outcomes.set(String(outcome), (outcomes.get(String(outcome)) ?? 0) + 1);
      await sleep(0);
    }
  };
  const effects = await gauges.during(async () => {
    await Promise.all(Array.from({ length: attackers }, (_, index) => attack(seededRandom(seed + index))));
  });
  const crashes = (await readCrashLog(fleet.dataDir)).slice(crashesBefore);
  return {
    attacks: [...outcomes.values()].reduce((sum, count) => sum + count, 0),
    outcomes,
    crashes: crashes.map(({ process, how }) => `${process}: ${how}`),
    failedNeighbours: effects.failedNeighbours,
    neighbourMs: effects.neighbourMs,
  };
}
