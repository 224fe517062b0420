import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@uag/local/paths";

/** A fenced block of a document that calls the gateway. */
export interface Sample {
  /** Its position: `file:line`. */
  readonly at: string;
  readonly language: "sh" | "js" | "python";
  readonly code: string;
  /** Text that its output contains when it works. */
  readonly expect: string;
}

const guides = join("gateway", "src", "docs", "guides");
const fence = /^```(sh|js|python)(?: expect="?([^"\n]+?)"?)?\n([\s\S]*?)^```$/gm;

/**
 * The samples in the README and the guides, for the gateway at `baseUrl`.
 * @throws when one does not declare its expected output: ```` ```js expect=word ````
 */
export async function readSamples(baseUrl: string): Promise<Sample[]> {
  const names = (await readdir(join(repoRoot, guides))).sort();
  const files = ["README.md", ...names.map((name) => join(guides, name))];
  const found = await Promise.all(
    files.map(async (file) => samplesIn(file, await readFile(join(repoRoot, file), "utf8"), baseUrl)),
  );
  return found.flat();
}

function samplesIn(file: string, text: string, baseUrl: string): Sample[] {
  return [...text.matchAll(fence)].map(({ index, 1: language, 2: expect, 3: code = "" }) => {
    const at = `${file}:${text.slice(0, index).split("\n").length}`;
    if (expect === undefined) throw new Error(`${at}: the sample has no \`expect=\``);
    const filled = code.replaceAll("{{base_url}}", baseUrl).replaceAll("http://127.0.0.1:8080", baseUrl);
    return { at, language: language as Sample["language"], code: filled, expect };
  });
}
