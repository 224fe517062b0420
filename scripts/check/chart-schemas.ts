import { chartFiles } from "../charts/generate.ts";
import type { Check } from "./check.ts";

/**
 * What Helm takes for a service's settings is what the service itself takes, and the charts' rules
 * and dashboards are those of infra/prometheus.
 */
export const chartSchemas: Check = {
  name: "schemas, rules and dashboards of the charts",
  async run({ fix }) {
    const stale = await chartFiles(fix);
    return fix ? [] : stale.map((file) => `infra/helm/${file} is not what it is made of; run: npm run check -- --fix`);
  },
};
