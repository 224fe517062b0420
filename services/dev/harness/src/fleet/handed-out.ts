import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fleet } from "@uag/local/service";
import { metricsPorts } from "./metrics.ts";

/** Shorter texts occur by chance. */
const minChars = 10;
const maxBodyChars = 1024 * 1024;

/** What a process of the fleet must not write: where it was found, and how the secret begins. */
export interface Leak {
  readonly where: string;
  readonly secret: string;
}

type Shown = Pick<Fleet, "dataDir" | "run">;

const secrets = new Set<string>();
const pending = new Set<Promise<void>>();

/** Adds a secret that a person or program has received from a fleet, or has sent to it. */
function addSecret(text: string | undefined): void {
  if (text !== undefined && text.length >= minChars) secrets.add(text);
}

/** The secrets in a response of the admin API, the console or the public API. */
function collectFrom(text: string): void {
  if (text.length > maxBodyChars) return;
  for (const [, value] of text.matchAll(/"((?:sk-|adm-|whsec_)[\w-]{20,})"/g)) addSecret(value);
  for (const [, value] of text.matchAll(/"(?:csrf_token|password)":"((?:[^"\\]|\\.)+)"/g)) addSecret(value);
  for (const [, value] of text.matchAll(/\/invitations\/([\w-]{43})/g)) addSecret(value);
  for (const [, value] of text.matchAll(/\/assets\/([\w.~-]{20,})/g)) addSecret(value);
}

function collectFromRequest(init: RequestInit | undefined): void {
  const headers = new Headers(init?.headers);
  addSecret(headers.get("authorization")?.replace(/^\w+ /, ""));
  addSecret(headers.get("x-api-key") ?? undefined);
  if (typeof init?.body === "string") collectFrom(init.body);
}

function collectFromResponse(response: Response): void {
  for (const line of response.headers.getSetCookie()) addSecret(/^console_\w+=([^;]+)/.exec(line)?.[1]);
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  if (!isJson || Number(response.headers.get("content-length") ?? 0) > maxBodyChars) return;
  // A response that is interrupted hands nothing out.
  const work = response
    .clone()
    .text()
    .then(collectFrom, () => undefined);
  pending.add(work);
  void work.finally(() => pending.delete(work));
}

let isWatching = false;

/** Collects the secrets of every request that this process makes with `fetch`, from now on. */
export function watchFetch(): void {
  if (isWatching) return;
  isWatching = true;
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    collectFromRequest(init);
    const response = await original(input, init);
    collectFromResponse(response);
    return response;
  };
}

/** The secrets that a fleet has generated, or got from its environment. */
async function collectFromFleet({ dataDir, run }: Shown, env: NodeJS.ProcessEnv): Promise<void> {
  const saved: unknown = JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8"));
  const collect = (value: unknown, name: string): void => {
    if (typeof value === "string" && name !== "email" && name !== "id") addSecret(value);
    else if (typeof value === "object" && value !== null)
      for (const [inner, one] of Object.entries(value)) collect(one, inner);
  };
  collect(saved, "");
  addSecret(run.api_key);
  addSecret(run.nats_password);
  for (const [name, value = ""] of [...Object.entries(env), ["", run.mongodb_url]] as const) {
    if (/(?:KEY|SECRET|PASSWORD|TOKEN)$/.test(name)) addSecret(value);
    addSecret(decodeURIComponent(URL.parse(value)?.password ?? ""));
  }
}

/** Reads a file piece by piece. @returns the secrets in it */
async function secretsInFile(path: string): Promise<string[]> {
  const found = new Set<string>();
  const longest = Math.max(0, ...[...secrets].map(({ length }) => length));
  let tail = "";
  for await (const piece of createReadStream(path, { encoding: "utf8" })) {
    const text = tail + String(piece);
    for (const secret of secretsIn(text)) found.add(secret);
    tail = text.slice(-longest);
  }
  return [...found];
}

const secretsIn = (text: string): string[] => [...secrets].filter((secret) => text.includes(secret));

/** A page of a running process; undefined while the process is stopped. */
async function pageOf(url: string, token?: string): Promise<string | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers }).catch(() => undefined);
  return response?.ok === true ? await response.text() : undefined;
}

/** The pages that a running fleet shows to operators: metrics and audit rows. */
export async function shownPages({ dataDir, run }: Shown): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const add = (where: string, text: string | undefined): void => void (text !== undefined && pages.set(where, text));
  for (const { process, port } of await metricsPorts({ dataDir }))
    add(`/metrics of ${process}`, await pageOf(`http://127.0.0.1:${port}/metrics`));
  for (let after = "", page = 1; page <= 20; page++) {
    const url = `${run.admin_url}/audit-log?limit=1000${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`;
    const text = await pageOf(url, run.admin.token);
    add(`the audit log, page ${page}`, text);
    after = (JSON.parse(text ?? "{}") as { next_cursor?: string | null }).next_cursor ?? "";
    if (after === "") break;
  }
  return pages;
}

/**
 * The secrets that were handed out in this process and are in the fleet's logs, audit rows or
 * metrics. `pages` are those of {@link shownPages}, read while the fleet ran.
 */
export async function leaksOf(
  fleet: Shown,
  { pages, env }: { readonly pages: ReadonlyMap<string, string>; readonly env: NodeJS.ProcessEnv },
): Promise<Leak[]> {
  await Promise.all(pending);
  await collectFromFleet(fleet, env);
  const leaks: Leak[] = [];
  const add = (where: string, found: readonly string[]): void => {
    for (const secret of found) leaks.push({ where, secret: `${secret.slice(0, 6)}… (${secret.length} characters)` });
  };
  for (const [where, text] of pages) add(where, secretsIn(text));
  const dir = join(fleet.dataDir, "log");
  for (const name of await readdir(dir)) add(`log/${name}`, await secretsInFile(join(dir, name)));
  return leaks;
}
