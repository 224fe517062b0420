import { chartFiles } from "../charts/generate.ts";
import type { Check } from "./check.ts";

/**
 * Checks that Helm accepts exactly the settings that a service accepts, and that the charts' rules
 * and dashboards are those of infra/prometheus.
 */
export const chartSchemas: Check = {
  name: "schemas, rules and dashboards of the charts",
  async run({ fix }) {
    const stale = await chartFiles(fix);
    return fix ? [] : stale.map((file) => `infra/helm/${file} is out of date; run: npm run check -- --fix`);
  },
};
