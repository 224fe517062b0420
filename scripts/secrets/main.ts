// npm run secrets: makes the Secrets of a new fleet.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { stringify } from "yaml";
import { bundledMongo, FleetSecrets, type MongoAddress } from "./fleet-secrets.ts";
import { externalSecret, extraKeys, secretObject, secretsOf } from "./secret-objects.ts";

const help = `npm run -s secrets -- [options]

Makes every Secret that the charts of a new fleet read, with random values, and prints the objects. Values that must be
equal in several Secrets are: users' passwords, KEY_PEPPER, USAGE_MAC_KEY and others. Each run makes new values.
  --format <format>     yaml: Secrets (default)
                        sealed: SealedSecrets, by the kubeseal on PATH and its connection to the cluster
                        externalsecret: ExternalSecrets, each of one entry of a store; --values gets the entries
  --fleet <name>        the charts' value fleet; default uag
  --namespace <name>    default uag
  --mongodb <hosts>     host:port of your MongoDB, comma-separated; default: the chart mongodb
  --mongodb-options <query>  of its URL, such as replicaSet=rs0&tls=true
  --store <name>        SecretStore of the ExternalSecrets; default uag
  --values <file>       JSON with the values of each entry, to be imported into the store and deleted

Providers' keys are yours: add them to the Secrets of the capability services, and to extraSecretKeys of their charts.
`;

const stringOption = { type: "string" } as const;
const options = {
  format: { ...stringOption, default: "yaml" },
  fleet: { ...stringOption, default: "uag" },
  namespace: { ...stringOption, default: "uag" },
  mongodb: stringOption,
  "mongodb-options": { ...stringOption, default: "" },
  store: { ...stringOption, default: "uag" },
  values: stringOption,
  help: { type: "boolean", short: "h" },
} as const;

const documents = (objects: readonly object[]): string =>
  objects.map((one) => `---\n${stringify(one, { lineWidth: 0 })}`).join("");

/** The chart values that go with the Secrets, as a comment. */
function valuesComment(): string {
  const values = Object.fromEntries(
    Object.entries(extraKeys).map(([chart, keys]) => [chart, { extraSecretKeys: keys }]),
  );
  const lines = stringify(values).trimEnd().split("\n");
  return ["Values of the fleet's chart that read the optional keys:", ...lines].map((line) => `# ${line}\n`).join("");
}

async function sealed(yaml: string): Promise<string> {
  const child = spawn("kubeseal", ["--format", "yaml"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  child.stdin.on("error", () => undefined).end(yaml);
  const [output, [code]] = await Promise.all([text(child.stdout), ended]).catch(() => {
    throw new UserError("kubeseal was not found on PATH. Install it: https://github.com/bitnami-labs/sealed-secrets");
  });
  if (code !== 0) throw new UserError(`kubeseal failed with exit code ${code}.`);
  return output;
}

function mongoOf(fleet: string, hosts: string | undefined, query: string): MongoAddress {
  if (hosts === undefined) return bundledMongo(fleet);
  if (query === "") throw new UserError("--mongodb needs --mongodb-options, such as replicaSet=rs0&tls=true.");
  return { hosts, options: query };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return print(help);
  const { format, fleet, namespace, store } = values;
  const secrets = await secretsOf(fleet, new FleetSecrets(mongoOf(fleet, values.mongodb, values["mongodb-options"])));
  const plain = documents(secrets.map((one) => secretObject(one, { namespace })));
  if (format === "yaml") process.stdout.write(valuesComment() + plain);
  else if (format === "sealed") process.stdout.write(valuesComment() + (await sealed(plain)));
  else if (format !== "externalsecret") throw new UserError("--format must be yaml, externalsecret or sealed.");
  else {
    if (values.values === undefined) throw new UserError("--format externalsecret needs --values <file>.");
    const entries = Object.fromEntries(secrets.map(({ name, data }) => [name, data]));
    await writeFile(values.values, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    process.stdout.write(valuesComment() + documents(secrets.map((one) => externalSecret(one, { namespace, store }))));
  }
}

await main().catch(fail);
