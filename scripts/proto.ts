// npm run proto: checks the .proto files and generates proto/gen from them.
import { parseArgs } from "node:util";
import { proto, releaseProto } from "./check/proto.ts";

const help = `npm run proto [-- --release]

Checks the .proto files for errors and for compatibility with the last release, and generates proto/gen from them.
--release: records the current files as the last release, and their commit in infra/released.txt, from which
npm run roll -- upgrade starts.
`;

const { values } = parseArgs({ options: { release: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
if (values.help) {
  process.stdout.write(help);
} else {
  const problems = await proto.run({ fix: true });
  if (values.release && problems.length === 0) problems.push(...(await releaseProto()));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
