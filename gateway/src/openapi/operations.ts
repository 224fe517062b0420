import { readdir } from "node:fs/promises";
import type { Operation } from "./operation.ts";

type Operations = Readonly<Record<string, Operation>>;

const folder = new URL("./endpoints/", import.meta.url);

/** Every file in `endpoints/` exports its operations as `endpoints`: a new file needs no list. */
async function collectEndpoints(): Promise<Operations> {
  const collected = new Map<string, Operation>();
  for (const file of (await readdir(folder)).sort()) {
    const { endpoints } = (await import(new URL(file, folder).href)) as { readonly endpoints: Operations };
    for (const [name, operation] of Object.entries(endpoints)) {
      if (collected.has(name)) throw new Error(`endpoints/${file} describes ${name}, which another file does too`);
      collected.set(name, operation);
    }
  }
  return Object.fromEntries(collected);
}

/** The public API's operations, by name in the table of routes. */
export const operations = await collectEndpoints();
