// npm run proto: checks the .proto files and generates proto/gen from them.
import { proto } from "./check/proto.ts";

const problems = await proto.run({ fix: true });
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);
