// npm run charts: generates files of the charts and validates them.
import { parseArgs } from "node:util";
import { fail } from "@uag/local/terminal/step";
import { generated } from "./generate.ts";
import { validate } from "./validate.ts";

const help = `npm run charts [-- --fix] [-- --api-server]

Renders every chart of infra/helm with a matrix of values and validates the objects: with Helm's lint, the schemas of
Kubernetes and its extensions, and infra/helm/policies.yaml. Builds Helm, kubeconform and helm-docs the first time. --fix
writes the charts' READMEs, values.schema.json and Chart.lock. --api-server also sends every object to a real kube-apiserver
with etcd, in a separate namespace for each rendering; it builds both the first time, which takes ten minutes.
`;

async function main(): Promise<number> {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ options: { fix: flag, "api-server": flag, help: { ...flag, short: "h" } } });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const stale = await generated(values.fix);
  const outdated = values.fix ? [] : stale.map((file) => `infra/helm/${file} is out of date: npm run charts -- --fix`);
  const { problems, objects, renderings } = await validate({ apiServer: values["api-server"] });
  for (const problem of [...outdated, ...problems]) process.stdout.write(`${problem}\n`);
  process.stdout.write(`${renderings} renderings, ${objects} objects, ${problems.length + outdated.length} problems\n`);
  return problems.length + outdated.length === 0 ? 0 : 1;
}

process.exit(await main().catch(fail));
