import { dirname, join, relative } from "node:path";
import type { Check } from "./check.ts";
import { type Import, importsOf, type Package, readPackages, scope } from "./packages.ts";

const shared = ["proto", "contract", "kit", "link", "mongo", "catalog", "upstreams", "admission", "capability"];

/**
 * Which packages each package may import. A package that is not named is a service: see
 * `allowedFor`.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  proto: [],
  command: [],
  contract: [],
  kit: ["proto", "contract"],
  link: ["proto", "contract", "kit"],
  journal: ["contract", "kit"],
  mongo: ["contract", "kit"],
  catalog: ["proto", "contract", "kit"],
  upstreams: ["proto", "contract", "kit", "catalog"],
  admission: ["proto", "contract", "kit", "journal", "catalog"],
  capability: ["proto", "contract", "kit", "link", "mongo", "catalog", "upstreams", "admission"],
  gateway: ["proto", "contract", "kit", "link"],
  // It judges billing's books by the rules of the books, and compares metering's events with what
  // providers report, in a process of its own.
  auditor: ["proto", "kit", "mongo", "billing", "metering", "catalog", "upstreams"],
  // It is a client of the public API like any other.
  mcp: ["contract", "kit"],
  // Has users and sessions of its own; for everything else it calls the admin API and the public
  // API.
  console: ["proto", "contract", "kit", "mongo"],
  // It runs in browsers: it may only know the shapes of the public interface.
  "console-web": ["contract"],
  testing: [...shared, "journal"],
  // A second reading of each protocol: it may share the runtime, but nothing that the adapters read
  // protocols with.
  simulator: ["kit"],
};

const forbidden: Readonly<Record<string, readonly string[]>> = {
  simulator: [`${scope}kit/sse`],
};

/**
 * What knows no database: of their own package these folders import only each other. Their tests
 * too.
 */
const pure: readonly (readonly string[])[] = [["services/lib/ledger/src/rules", "services/lib/ledger/src/permits"]];

/** Files of another package that tests may start as a process of its own. */
const startable: Readonly<Record<string, readonly string[]>> = {
  chat: ["services/dev/simulator/src/main.ts"],
};

/** What tests share. Nothing that runs imports it. */
const testing = "testing";

/** Nothing depends on what breaks a fleet to see what holds. */
const proofs = "proofs";

function allowedFor(name: string, all: readonly Package[]): readonly string[] {
  const others = all.map((other) => other.name).filter((other) => other !== proofs && other !== testing);
  if (name === "fleet" || name === proofs) return others;
  return allowed[name] ?? shared;
}

const isWithin = (dir: string, file: string): boolean => !relative(dir, file).startsWith("..");

const isTest = (file: string): boolean => /\.test\.ts$|\/(?:test|bench)\//.test(file);

/** What tests a package, or builds it, may need more than the package itself. */
const isOfDevelopment = (file: string): boolean => isTest(file) || /^services\/console\/web\/[\w.]+\.ts$/.test(file);

function packageName(specifier: string): string {
  const [first = "", second = ""] = specifier.split("/");
  return specifier.startsWith("@") ? `${first}/${second}` : first;
}

function problemWith({ file, specifier }: Import, from: Package, may: readonly string[]): string | undefined {
  if (specifier.startsWith("node:")) return undefined;
  if (specifier.startsWith(".")) {
    const target = join(dirname(file), specifier);
    if (!isWithin(from.dir, target) && !(isTest(file) && startable[from.name]?.includes(target)))
      return `${file} refers to ${specifier}, which is outside its package`;
    const group = pure.find((folders) => folders.some((folder) => isWithin(folder, file)));
    if (group === undefined || group.some((folder) => isWithin(folder, target))) return undefined;
    return `${file} refers to ${specifier}; it may know only ${group.join(" and ")}`;
  }
  const name = packageName(specifier);
  if (name.startsWith(scope)) {
    if (!may.includes(name.slice(scope.length)) && !(isTest(file) && name === scope + testing))
      return `${file} imports ${specifier}; ${from.name} may not import it`;
    if (forbidden[from.name]?.some((prefix) => specifier.startsWith(prefix)))
      return `${file} imports ${specifier}; ${from.name} may not import that part`;
  }
  if (from.dependencies.has(name) || (isOfDevelopment(file) && from.devDependencies.has(name))) return undefined;
  return `${file} imports ${name}, which is not among the dependencies in ${from.dir}/package.json`;
}

async function problemsOf(from: Package, all: readonly Package[]): Promise<string[]> {
  const may = allowedFor(from.name, all);
  const imports = (await importsOf(from.dir)).filter(({ specifier }) => specifier !== `${scope}${from.name}`);
  const problems = imports.flatMap((one) => problemWith(one, from, may) ?? []);
  for (const name of from.dependencies)
    if (name.startsWith(scope) && !may.includes(name.slice(scope.length)))
      problems.push(`${from.dir}/package.json depends on ${name}; ${from.name} may not import it`);
  return problems;
}

export const boundaries: Check = {
  name: "import boundaries",
  async run() {
    const packages = await readPackages();
    const problems = await Promise.all(packages.map((one) => problemsOf(one, packages)));
    return [...new Set(problems.flat())];
  },
};
