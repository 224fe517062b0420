// npm run check: checks of the sources in addition to the tests.
import { parseArgs } from "node:util";
import { chartSchemas } from "./check/chart-schemas.ts";
import type { Check } from "./check/check.ts";
import { compose } from "./check/compose.ts";
import { composeProviders } from "./check/compose-providers.ts";
import { configDocs } from "./check/config-docs.ts";
import { docstrings } from "./check/docstrings.ts";
import { fieldsDoc } from "./check/fields-doc.ts";
import { images } from "./check/images.ts";
import { lint } from "./check/lint.ts";
import { markdown } from "./check/markdown.ts";
import { metricsDoc } from "./check/metrics-doc.ts";
import { openapi } from "./check/openapi.ts";
import { openapiLint } from "./check/openapi-lint.ts";
import { proto } from "./check/proto.ts";
import { rights } from "./check/rights.ts";
import { sizingDoc } from "./check/sizing-doc.ts";
import { titles } from "./check/titles.ts";
import { types } from "./check/types.ts";
import { words } from "./check/words/words.ts";

const help = `npm run check [-- --fix]

Checks types, format and lint (with import boundaries), docstrings, test titles, the word list, widths of Markdown, generated
code, the OpenAPI documents (generated, and by a linter), the settings in the READMEs, the tables of metrics and of
request fields, the console's rights on each writable field, the schemas, rules and dashboards of the Helm charts, the
compose file, the table of sizes, and the digests of container images.
--fix repairs the problems that a program can repair.
`;

async function report(check: Check, fix: boolean): Promise<boolean> {
  const startedAt = performance.now();
  const problems = await check.run({ fix });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${problems.length === 0 ? "ok    " : "FAILED"} ${check.name} (${seconds} s)\n`);
  for (const problem of problems) process.stdout.write(`${problem.replaceAll(/^/gm, "       ")}\n`);
  return problems.length === 0;
}

const { values } = parseArgs({ options: { fix: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
if (values.help) {
  process.stdout.write(help);
} else {
  let ok = true;
  for (const check of [
    types,
    lint,
    docstrings,
    titles,
    words,
    markdown,
    proto,
    openapi,
    openapiLint,
    configDocs,
    metricsDoc,
    fieldsDoc,
    rights,
    sizingDoc,
    chartSchemas,
    compose,
    composeProviders,
    images,
  ])
    ok = (await report(check, values.fix ?? false)) && ok;
  process.exit(ok ? 0 : 1);
}
