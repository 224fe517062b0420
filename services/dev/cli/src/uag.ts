// The operator's commands as one program, in the toolbox: node uag.js [--admin-url <url>] <command> [options].
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { commands } from "./command-list.ts";

const help = `uag [--admin-url <url>] <command> [options]

Commands: ${Object.keys(commands).join(", ")}. "uag <command> --help" describes one.

Operates on the gateway whose admin API is at --admin-url or ADMIN_URL, with the token in ADMIN_TOKEN or
ADMIN_TOKEN_FILE. Commands that call services over gRPC also use BILLING_ADDR, METERING_ADDR, TLS_CERT_FILE,
TLS_KEY_FILE and TLS_CA_FILE, a certificate of "operator". NODE_EXTRA_CA_CERTS names a CA for an https URL.
`;

/** The options before the command, and what follows it. */
function split(args: readonly string[]): { before: string[]; command: string | undefined; after: string[] } {
  const at = args.findIndex((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--admin-url");
  return at < 0
    ? { before: [...args], command: undefined, after: [] }
    : { before: args.slice(0, at), command: args[at], after: args.slice(at + 1) };
}

async function main(): Promise<void> {
  const { before, command, after } = split(process.argv.slice(2));
  const options = { "admin-url": { type: "string" }, help: { type: "boolean", short: "h" } } as const;
  const { values } = parseArgs({ args: before, options });
  if (values.help || command === undefined) return print(help);
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (load === undefined) throw new UserError(`Unknown command "${command}".\n\n${help}`);
  if (values["admin-url"] !== undefined) process.env["ADMIN_URL"] = values["admin-url"];
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...after);
  await load();
}

await main().catch(fail);
