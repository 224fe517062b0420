import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { tokens } from "@uag/router/openapi/examples/earlier-values";
import { attacksOn, attackText } from "./attacks.ts";
import { patternsIn, patternsOf } from "./patterns.ts";

const root = join(import.meta.dirname, "../..");
const { found, built } = await patternsOf(root);

interface Source {
  readonly source: string;
  readonly flags: string;
}

const maxLength = 64 * 1024;
/** The slowest linear pattern takes 3 to 8 ms, depending on the machine; quadratic ones take 500 or more. */
const maxMs = 20;
/** Long enough to detect quadratic growth, short enough to test all patterns. */
const tryLength = 4 * 1024;

/**
 * Patterns that are composed at run time, in their final form; each is tested like the others.
 */
const builtOnes: Readonly<Record<string, readonly RegExp[]>> = {
  "gateway/src/openapi/examples/earlier-values.ts": [tokens],
  "services/media/src/assets/token.ts": [/^[A-Za-z0-9_-]{43}$/],
  "services/dev/simulator/src/content/plausible.ts": [
    /\b(?:in|for|at|near|to|from) (\p{Lu}[\p{L}'-]{0,40}(?: \p{Lu}[\p{L}'-]{0,40}){0,3}(?:, \p{Lu}[\p{L}'-]{0,40}(?: \p{Lu}[\p{L}'-]{0,40}){0,3})?)/u,
  ],
  "services/dev/simulator/src/http/router.ts": [/^\/gemini\/v1beta\/models\/(?<model>[^/]+?):generateContent$/],
};

/** Attacks that have blocked this or other projects' processes, tested with every pattern. */
const knownAttacks: readonly string[] = [
  " ".repeat(maxLength),
  "\t ".repeat(maxLength / 2),
  `application/json${" ".repeat(maxLength)}x`,
  "_thoughtsig_".repeat(maxLength / 12),
  `data:a/b${";a=b".repeat(maxLength / 4)}`,
  "sk-".repeat(maxLength / 3),
  `Bearer ${"a.".repeat(maxLength / 2)}`,
  "http://1.".repeat(maxLength / 9),
  ",".repeat(maxLength),
  "a,".repeat(maxLength / 2),
  "1".repeat(maxLength),
  "x".repeat(maxLength),
  "\n".repeat(maxLength),
  "\r\n".repeat(maxLength / 2),
  "。".repeat(maxLength),
  '"'.repeat(maxLength),
  "\\".repeat(maxLength),
  "/".repeat(maxLength),
];

/**
 * CPU milliseconds of this thread; the best of a few runs if one takes too long, because garbage
 * collection may interrupt it. A pattern that takes ten times too long is slow.
 */
function cost(use: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5 && best > maxMs; run++) {
    const before = process.threadCpuUsage();
    use();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
    if (best > 10 * maxMs) break;
  }
  return best;
}

/** The cost of searching for the pattern, or of replacing all its matches. */
function costOf({ source, flags }: Source, text: string): number {
  const bare = flags.replaceAll(/[gy]/g, "");
  const once = new RegExp(source, bare);
  const ms = cost(() => once.test(text));
  if (ms > maxMs) return ms;
  const everywhere = new RegExp(source, `${bare}g`);
  return Math.max(
    ms,
    cost(() => text.replace(everywhere, "")),
  );
}

/**
 * The worst of a pattern's attacks. Short ones are tested first, and only the slowest continue: an
 * attack that is too slow at part of the length is not tested at full length, where it might take
 * minutes.
 */
function worstOf(pattern: Source): { ms: number; text: string } {
  const attacks = [];
  for (const attack of attacksOn(pattern.source, pattern.flags)) {
    const text = attackText(attack, tryLength);
    const ms = costOf(pattern, text);
    if (ms > maxMs) return { ms, text };
    attacks.push({ attack, ms });
  }
  const worstAttacks = attacks.toSorted((a, b) => b.ms - a.ms).slice(0, 8);
  const texts = [
    ...[tryLength, maxLength / 4, maxLength].flatMap((length) => [
      ...worstAttacks.map(({ attack }) => attackText(attack, length)),
      ...knownAttacks.map((known) => known.slice(-length)),
    ]),
  ];
  let worst = { ms: 0, text: "" };
  for (const text of texts) {
    const ms = costOf(pattern, text);
    if (ms > worst.ms) worst = { ms, text };
    if (ms > maxMs) break;
  }
  return worst;
}

function faultOf(pattern: Source, where: string): string[] {
  const { ms, text } = worstOf(pattern);
  if (ms <= maxMs) return [];
  const head = JSON.stringify(text.slice(0, 60));
  return [
    `${where}: /${pattern.source}/${pattern.flags} takes ${ms.toFixed(1)} ms for ${text.length} characters like ${head}`,
  ];
}

test("no pattern of the sources takes longer than 20 ms for the worst 64 KiB of external text", () => {
  assert.ok(found.length > 100, `${found.length} patterns found`);
  const unique = new Map(found.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]));
  const faults = [...unique.values()].flatMap((pattern) => faultOf(pattern, `${pattern.file}:${pattern.line}`));
  for (const [file, patterns] of Object.entries(builtOnes))
    faults.push(...patterns.flatMap((pattern) => faultOf(pattern, file)));
  assert.deepEqual(faults, []);
});

test("every pattern that is composed at run time is listed here in its final form", () => {
  assert.deepEqual([...new Set(built.map(({ file }) => file))].sort(), Object.keys(builtOnes).sort());
});

test("the search finds patterns in every position, and the attacks find slow ones", () => {
  const text =
    "const a = x ? /a/g : (y as RegExp) ?? new RegExp('b+', 'i'); z.string().regex(/c/u); RegExp(d); 1 / 2 / 3;";
  const { found: inText, built: builtInText } = patternsIn(text, "x.ts");
  assert.deepEqual(
    inText.map(({ source, flags }) => [source, flags]),
    [
      ["a", "g"],
      ["b+", "i"],
      ["c", "u"],
    ],
  );
  assert.equal(builtInText.length, 1);
  for (const slow of [
    /^(.*?)_thoughtsig_([A-Za-z0-9_-]+)$/,
    /^[ \t]+|[ \t]+$/,
    /json\s*(;\s*charset=utf-8\s*)?;?\s*$/,
    /\/+$/,
    /(?:sk|pk)-(?=[a-z-]*[0-9])/,
  ]) {
    assert.equal(faultOf(slow, "here").length, 1, String(slow));
  }
});
