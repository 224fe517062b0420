import { parseArgs } from "node:util";

export const scenarioNames = ["slow", "json", "rate", "sse", "vectors", "vectors64", "gemini"] as const;
/** Measures only the gateway, so it runs separately. */
const accountsScenario = "accounts";
/** Measures only the choice of upstreams and credentials, in this process. */
const routingScenario = "routing";
export type ScenarioName = (typeof scenarioNames)[number];

/** Measures many keys of one account that share a budget; only the gateway. */
const budgetsScenario = "budgets";
const separate: readonly string[] = [accountsScenario, routingScenario, budgetsScenario];

export interface BenchOptions {
  readonly seconds: number;
  readonly scenarios: readonly ScenarioName[];
  /** Measures a request's cost by the number of accounts, instead of the scenarios. */
  readonly accounts: { readonly counts: readonly number[]; readonly replicas: readonly number[] } | undefined;
  /** Measures the cost of choosing among credentials, instead of the scenarios. */
  readonly routing: boolean;
  /** Measures the cost of a budget that keys share, instead of the scenarios. */
  readonly budgets: boolean;
  readonly model: string;
  readonly json: string | undefined;
  readonly upstreamPort: number;
  /** A running gateway to measure instead of the fleet. */
  readonly running: { readonly url: URL; readonly key: string; readonly pidFile: string | undefined } | undefined;
  readonly fleet: boolean;
  /** Runs all services of the fleet in one process. */
  readonly single: boolean;
}

export const help = `npm run bench -- [options]

Measures the fleet beside a bare express + http-proxy-middleware proxy, both in front of the same fast upstream.

  --seconds <n>        length of each JSON run (default 4; each runs three times)
  --scenario <name>    only this one; may be repeated
                         slow  1,000 streams of 20 chunks, one each 500 ms: memory a stream
                         json  64 connections, each sends its next request after its response
                         rate  100 requests/s, latency measured from each request's due time
                         sse   100 streams of 200 chunks, one each 10 ms
                         vectors, vectors64  embeddings, 64 inputs x 1,024 dimensions, as numbers and as base64
                         gemini  generateContent of a model that Gemini serves, 64 connections
                         accounts  small completions with the keys of many accounts in turn; only the gateway
                         budgets  10,000 keys of one account, with and without a shared budget; only the gateway
                         routing  choosing a credential and an upstream, by their number; without a fleet
  --accounts <n,n,…>   numbers of accounts for the scenario accounts (default 1,100,2000,20000)
  --replicas <n,n,…>   numbers of billing and metering processes for the scenario accounts (default 1)
  --json <file>        also writes every figure to this file
  --model <id>         the requested model (default gpt-4o-mini)
  --single             runs all services of the fleet in one process
  --no-fleet           measures only the baseline
  --target <url>       measures a running gateway, e.g. http://127.0.0.1:8080, instead of the fleet;
                         its upstream must be the benchmark's own: see --upstream-port
  --key <key>          its API key
  --pid-file <file>    its processes, as {"pids": {"<name>": <pid>}}: the fleet's run.json has this shape
  --upstream-port <n>  port of the benchmark's upstream, served at http://127.0.0.1:<n>/v1 (default: any)
  --help
`;

/** Parses the command line; undefined for `--help`. @throws an Error that explains what is wrong */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "4" },
      scenario: { type: "string", multiple: true, default: [...scenarioNames] },
      accounts: { type: "string", default: "1,100,2000,20000" },
      replicas: { type: "string", default: "1" },
      json: { type: "string" },
      model: { type: "string", default: "gpt-4o-mini" },
      single: { type: "boolean", default: false },
      "no-fleet": { type: "boolean", default: false },
      target: { type: "string" },
      key: { type: "string" },
      "pid-file": { type: "string" },
      "upstream-port": { type: "string", default: "0" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const byAccounts = values.scenario.includes(accountsScenario);
  const counts = numbersWithin({ name: "--accounts", text: values.accounts, least: 1, most: 1_000_000 });
  const replicas = numbersWithin({ name: "--replicas", text: values.replicas, least: 1, most: 8 });
  return {
    accounts: byAccounts ? { counts, replicas } : undefined,
    seconds: numberWithin({ name: "--seconds", text: values.seconds, least: 1, most: 60 }),
    routing: values.scenario.includes(routingScenario),
    budgets: values.scenario.includes(budgetsScenario),
    scenarios: values.scenario.filter((name) => !separate.includes(name)).map(scenarioNamed),
    model: values.model,
    json: values.json,
    upstreamPort: numberWithin({ name: "--upstream-port", text: values["upstream-port"], least: 0, most: 65_535 }),
    running: running({ target: values.target, key: values.key, pidFile: values["pid-file"] }),
    fleet: !values["no-fleet"] && values.target === undefined,
    single: values.single,
  };
}

function numberWithin(options: { name: string; text: string; least: number; most: number }): number {
  const value = Number(options.text);
  if (value >= options.least && value <= options.most) return value;
  throw new Error(`${options.name} must be a number from ${options.least} to ${options.most}`);
}

function numbersWithin(options: { name: string; text: string; least: number; most: number }): number[] {
  return options.text.split(",").map((text) => numberWithin({ ...options, text }));
}

function scenarioNamed(name: string): ScenarioName {
  const found = scenarioNames.find((known) => known === name);
  if (found === undefined) throw new Error(`--scenario must be one of ${[...scenarioNames, ...separate].join(", ")}`);
  return found;
}

function running(values: {
  readonly target: string | undefined;
  readonly key: string | undefined;
  readonly pidFile: string | undefined;
}): BenchOptions["running"] {
  const { target, key, pidFile } = values;
  if (target === undefined) {
    if (key !== undefined || pidFile !== undefined) throw new Error("--key and --pid-file require --target");
    return undefined;
  }
  if (!URL.canParse(target)) throw new Error("--target must be a URL, e.g. http://127.0.0.1:8080");
  const url = new URL(target);
  if (!["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) throw new Error("--target must be on this machine");
  if (key === undefined) throw new Error("--target requires --key");
  return { url, key, pidFile };
}
