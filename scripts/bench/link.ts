/** node scripts/run.mjs scripts/bench/link.ts: the cost of the link at both ends, and of mutual TLS. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeCertificates } from "@uag/local/identity/certificates";
// biome-ignore lint/plugin: a benchmark is not part of the public interface of link.
import { benchLink, benchTls } from "../../services/lib/link/bench/main.ts";

const help = `node scripts/run.mjs scripts/bench/link.ts [--tls] [--rounds <n>]

Measures processor time at both ends of the link between router and services, for JSON and for streams, and compares it
with one gRPC call and with one HTTP/2 stream per request, in alternating rounds.

  --tls         measures the cost of mutual TLS instead, in alternating rounds with and without it
  --rounds <n>  rounds of each (default 9)
`;

const { values } = parseArgs({
  options: { tls: { type: "boolean" }, rounds: { type: "string", default: "9" }, help: { type: "boolean" } },
});
if (values.help) process.stdout.write(help);
else if (values.tls) {
  const dir = await mkdtemp(join(tmpdir(), "bench-link-"));
  await makeCertificates(dir);
  await benchTls(join(dir, "tls"), Number(values.rounds)).finally(() => rm(dir, { recursive: true }));
} else await benchLink(Number(values.rounds));
