import { charts, fleetChart, readValues, type Values } from "../charts/charts.ts";

/** The default values of all charts, as an operator may have copied them into those of the fleet's chart. */
export async function releasedValues(): Promise<Values> {
  const { global } = await readValues(fleetChart);
  const values: Values = { global };
  for (const chart of charts) {
    const { service: _service, common: _common, ...own } = await readValues(chart);
    if (chart !== fleetChart) values[chart] = own;
  }
  return values;
}
