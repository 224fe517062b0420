import { readdir } from "node:fs/promises";
import { estimatesOf, tags as estimateTags } from "./estimates.ts";
import type { Operation } from "./operation.ts";

type Operations = Readonly<Record<string, Operation>>;

/** What a file in `endpoints/` exports. */
interface EndpointFile {
  readonly endpoints: Operations;
  /** The groups of its operations, and their descriptions. */
  readonly tags: Readonly<Record<string, string>>;
}

const folder = new URL("./endpoints/", import.meta.url);

/** Collects every file in `endpoints/`: a new file needs no list. */
async function collectEndpoints(): Promise<EndpointFile> {
  const collected = new Map<string, Operation>();
  const allTags: Record<string, string> = { ...estimateTags };
  for (const file of (await readdir(folder)).sort()) {
    const { endpoints, tags } = (await import(new URL(file, folder).href)) as EndpointFile;
    Object.assign(allTags, tags);
    for (const [name, operation] of Object.entries(endpoints)) {
      if (collected.has(name)) throw new Error(`endpoints/${file} describes ${name}, which another file does too`);
      collected.set(name, operation);
    }
  }
  return { endpoints: Object.fromEntries([...collected, ...estimatesOf(collected)]), tags: allTags };
}

/** The public API's operations, by name in the table of routes, and their tags with descriptions. */
export const { endpoints: operations, tags } = await collectEndpoints();
