// npm run proto: checks the .proto files and generates proto/gen from them.
import { parseArgs } from "node:util";
import { proto, releaseProto } from "./check/proto.ts";

const help = `npm run proto [-- --release]

Checks the .proto files, also against those of the last release, and generates proto/gen from them.
--release: they are released now, and what comes later is compared with them; infra/released.txt names the commit,
which npm run roll -- upgrade begins with.
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
