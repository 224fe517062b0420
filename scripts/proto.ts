// npm run proto: checks the .proto files and generates proto/gen from them.
import { parseArgs } from "node:util";
import { proto } from "./check/proto.ts";

const help = `npm run proto

Checks the .proto files for errors and for compatibility with the last release, and generates proto/gen from them.
`;

const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
if (values.help) {
  process.stdout.write(help);
} else {
  const problems = await proto.run({ fix: true });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
