import { stringify } from "yaml";
import { charts, fleetChart, readValues, type Values } from "../charts/charts.ts";

/** The default values of all charts, as an operator may have copied them into those of the fleet's chart. */
async function defaultValues(): Promise<Values> {
  const { global } = await readValues(fleetChart);
  const values: Values = { global };
  for (const chart of charts) {
    const { service: _service, common: _common, ...own } = await readValues(chart);
    if (chart !== fleetChart) values[chart] = own;
  }
  return values;
}

/** The file of a release in `infra/helm/released`. */
export async function releasedValues(version: string): Promise<string> {
  const head = `# The default values of release ${version}; every later release must accept them.\n`;
  // Helm reads YAML 1.1, in which `off` without quotes is false.
  return head + stringify(await defaultValues(), { version: "1.1", lineWidth: 0 });
}
