import { schemas } from "../charts/generate.ts";
import type { Check } from "./check.ts";

/** What Helm takes for a service's settings is what the service itself takes. */
export const chartSchemas: Check = {
  name: "schemas of the charts' values",
  async run({ fix }) {
    const stale = await schemas(fix);
    return fix
      ? []
      : stale.map((file) => `infra/helm/${file} is not what the settings make; run: npm run check -- --fix`);
  },
};
