import type { AST } from "@eslint-community/regexpp";
import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/** Characters used to test a class. */
const alphabet = [..."a0A .,;:=-_/+*%\"'\\<>()[]{}|@#!~&$^?\t\r\n\0é一"];
/** A suffix that a long match is least likely to continue with. */
const ends = ["", "\0", "\n", "!"];
const maxPumps = 40;
const maxStarts = 10;

export interface Attack {
  readonly start: string;
  readonly pump: string;
  readonly end: string;
}

/** An attack as a text of this many characters. */
export function attackText({ start, pump, end }: Attack, length: number): string {
  return start + pump.repeat(Math.ceil((length - start.length - end.length) / pump.length)) + end;
}

/**
 * Texts for which a pattern may take long: its repeated part many times, after its required prefix
 * and before a suffix that cannot match.
 */
export function attacksOn(source: string, flags: string): Attack[] {
  const unicode = flags.includes("u");
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode,
    unicodeSets: flags.includes("v"),
  });
  const pumps = new Set<string>();
  // The second prevents a start-only pattern from matching there.
  const starts = new Set<string>(["", "!"]);
  visitRegExpAST(pattern, {
    onAlternativeEnter(alternative) {
      let before = "";
      for (const sample of samplesOf(alternative)) {
        starts.add(before);
        pumps.add(sample);
        before += sample;
      }
      pumps.add(before);
    },
    onQuantifierEnter: ({ element }) => void pumps.add(sampleOf(element)),
    onCharacterClassEnter: (node) => pumpAll(node),
    onCharacterSetEnter: (node) => pumpAll(node),
  });
  function pumpAll(node: AST.Node): void {
    for (const character of matching(node).slice(0, 4)) pumps.add(character);
  }
  const attacks: Attack[] = [];
  const nonEmpty = [...pumps].filter((pump) => pump !== "");
  const paired = nonEmpty.slice(0, 6).flatMap((first) => nonEmpty.slice(0, 6).map((second) => first + second));
  for (const pump of new Set([...nonEmpty, ...paired].slice(0, maxPumps)))
    for (const start of [...starts].slice(0, maxStarts)) for (const end of ends) attacks.push({ start, pump, end });
  return attacks;
}

/** The characters of the alphabet that a class or set matches. */
function matching(node: AST.Node): string[] {
  const alone = new RegExp(`^${node.raw}$`, "s");
  return alphabet.filter((character) => alone.test(character));
}

/** The texts of each part of an alternative; consecutive letters are one part. */
function samplesOf({ elements }: AST.Alternative): string[] {
  const samples: string[] = [];
  let inWord = false;
  for (const element of elements) {
    const isLetter = element.type === "Character";
    if (isLetter && inWord) samples.push(`${samples.pop()}${sampleOf(element)}`);
    else samples.push(sampleOf(element));
    inWord = isLetter;
  }
  return samples;
}

/** A text that a part of a pattern matches; empty if none is known. */
function sampleOf(node: AST.Element): string {
  switch (node.type) {
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterClass":
    case "CharacterSet":
      return matching(node)[0] ?? "";
    case "Quantifier":
      return sampleOf(node.element).repeat(Math.min(Math.max(node.min, 1), 64));
    case "Group":
    case "CapturingGroup":
      return (node.alternatives[0]?.elements ?? []).map(sampleOf).join("");
    default:
      return "";
  }
}
