import { integerBetween, type Random } from "./hash.ts";
import { proseOf } from "./prose.ts";
import { wordsOf } from "./words.ts";

type Maker = (random: Random, prompt: string) => string;

const oneOf =
  (...values: readonly string[]): Maker =>
  (random) =>
    values[integerBetween(random, 0, values.length - 1)] ?? "";

/** Only the beginning of a long prompt is searched: that is where people name things. */
const searched = 4_000;
const path = /(?:^|[\s"'`(])((?:\.{0,2}\/)?(?:[\w.-]{1,64}\/){0,12}[\w-]{1,64}\.[a-z]{1,5})(?=[\s"'`),.:;?!]|$)/i;
const quotation = /(?<![\p{L}\p{N}])["'“‘]([^"'“”‘’]{1,100})["'”’](?![\p{L}\p{N}])/u;
const properName = /\p{Lu}[\p{L}'-]{0,40}(?: \p{Lu}[\p{L}'-]{0,40}){0,3}/u;
const place = new RegExp(`\\b(?:in|for|at|near|to|from) (${properName.source}(?:, ${properName.source})?)`, "u");
const number = /(?<![\p{L}\p{N}.,-])-?\d{1,9}(?:\.\d{1,9})?(?![\p{L}\p{N}])/gu;
const url = /https?:\/\/[^\s"'`<>()]{1,500}/i;

const named =
  (pattern: RegExp, group: number, otherwise: Maker): Maker =>
  (random, prompt) =>
    pattern.exec(prompt.slice(0, searched))?.[group] ?? otherwise(random, prompt);

const requested: Maker = (random, prompt) => prompt.slice(0, 100).replaceAll(/\s+/g, " ").trim() || proseOf(random, 6);

/** By a word in the property's name; the first row with a matching word counts. */
const makers: readonly (readonly [words: readonly string[], make: Maker])[] = [
  [["email", "mail"], oneOf("ada@example.com", "grace@example.com", "alan@example.com")],
  [["phone", "mobile", "fax"], oneOf("+1-202-555-0143", "+44-20-7946-0018")],
  [["url", "uri", "link", "website", "href", "homepage"], named(url, 0, oneOf("https://example.com/"))],
  [["path", "file", "filename", "filepath"], named(path, 1, oneOf("README.md"))],
  [["command", "cmd", "shell"], oneOf("pwd", "date", "uname")],
  [["firstname", "given"], oneOf("Ada", "Grace", "Alan")],
  [["lastname", "surname", "family"], oneOf("Lovelace", "Hopper", "Turing")],
  [["city", "location", "town", "place", "destination", "origin"], named(place, 1, oneOf("Paris", "Berlin", "Tokyo"))],
  [["country", "nation"], oneOf("France", "Germany", "Japan")],
  [["state", "region", "province"], oneOf("California", "Bavaria", "Hokkaido")],
  [["street", "address"], oneOf("12 Harbour Street", "7 Mill Lane")],
  [["zip", "postcode", "postal"], oneOf("10115", "75001", "94107")],
  [["company", "organization", "organisation", "employer", "brand"], oneOf("Example Ltd", "Acme Inc")],
  [["date", "day", "birthday", "deadline"], oneOf("2026-01-02", "2026-03-14")],
  [["time"], oneOf("09:30", "14:00")],
  [["month"], oneOf("January", "March")],
  [["currency"], oneOf("EUR", "USD", "JPY")],
  [["unit", "units"], oneOf("celsius")],
  [["language", "lang", "locale"], oneOf("en", "fr", "de")],
  [["color", "colour"], oneOf("blue", "green", "silver")],
  [["status"], oneOf("open", "done")],
  [["category", "type", "kind", "topic", "subject"], oneOf("travel", "science", "finance")],
  [["product", "item"], oneOf("notebook", "lamp", "kettle")],
  [["title", "headline"], oneOf("A Quiet Morning at the Harbour", "The Keeper of the Ledger")],
  [["query", "search", "question", "keyword", "keywords", "input", "expression"], requested],
  [
    ["name", "author", "person", "user", "username"],
    named(quotation, 1, oneOf("Ada Lovelace", "Grace Hopper", "Alan Turing")),
  ],
  [["id", "key", "code", "identifier"], (random) => String(integerBetween(random, 100_000, 999_999))],
  [
    ["summary", "description", "reason", "reasoning", "explanation", "text", "content", "message"],
    (random) => proseOf(random, 14),
  ],
  [
    ["answer", "response", "output", "result", "comment", "note", "body", "prompt", "story"],
    (random) => proseOf(random, 14),
  ],
];

const ranges: readonly (readonly [words: readonly string[], low: number, high: number])[] = [
  [["age"], 21, 67],
  [["year"], 1990, 2026],
  [["temperature", "temp"], 12, 27],
  [["quantity", "count", "number", "amount"], 1, 12],
  [["price", "cost", "total"], 5, 120],
  [["rating", "stars"], 3, 5],
];

/** `firstName`, `first_name` and `first-name` yield the words "firstname", "first" and "name". */
function wordsIn(name: string): Set<string> {
  const parts = name
    .slice(0, 100)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
  return new Set([...parts, parts.join("")]);
}

/** A plausible text for a property of this name, taken from the prompt if it mentions one. */
export function textFor(name: string, prompt: string, random: Random): string {
  const words = wordsIn(name);
  const make = makers.find(([known]) => known.some((word) => words.has(word)))?.[1];
  return make?.(random, prompt) ?? wordsOf(random, 2);
}

/** The numbers that the prompt mentions, in its order. */
export function numbersIn(prompt: string): number[] {
  return Array.from(prompt.slice(0, searched).matchAll(number), ([text]) => Number(text));
}

/** A plausible integer for a property of this name; undefined if the name gives no hint. */
export function numberFor(name: string, random: Random): number | undefined {
  const words = wordsIn(name);
  const range = ranges.find(([known]) => known.some((word) => words.has(word)));
  return range === undefined ? undefined : integerBetween(random, range[1], range[2]);
}
