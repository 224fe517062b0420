import { documentNames } from "@uag/router/docs/documents";
import { openApiFile } from "@uag/router/openapi/file";
import type { Check } from "./check.ts";
import { problemsOf } from "./run-tool.ts";

/**
 * Environment that keeps Redocly offline: it reports no usage and does not look for a newer
 * version.
 */
const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } as const;

/**
 * Redocly does not see references in extensions. `document.test.ts` checks that every component is
 * used.
 */
const rules = ["--extends=recommended-strict", "--skip-rule=no-unused-components"];

/**
 * The OpenAPI documents keep Redocly's recommended rules; in the strict set a warning is an error.
 */
export const openapiLint: Check = {
  name: "openapi lint",
  run: () => problemsOf("redocly", ["lint", ...rules, ...documentNames.map(openApiFile)], { env: quiet }),
};
