// npm run verify: checks the signature of a receipt.
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { receiptKeys, signedReceipt } from "@uag/contract/responses/receipts";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { verifiedPayload } from "@uag/router/receipts/signature";
import { boundedText } from "@uag/runtime/http/bounded-text";
import { readRunningFleet } from "./options.ts";

const help = `npm run verify -- <receipt.json> [--keys <file or URL>]

Checks that a receipt of GET /v1/receipts/<request id> was signed by the gateway and has not been changed since.

  --keys    the gateway's public keys: its /.well-known/jwks.json, as a file for a check without a network, or its URL;
            default: those of the running fleet
`;

const maxBytes = 1024 * 1024;

async function keysText(from: string | undefined): Promise<string> {
  if (from !== undefined && !/^https?:/.test(from)) return await readFile(from, "utf8");
  const url = from ?? `${(await readRunningFleet()).base_url}/.well-known/jwks.json`;
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new UserError(`${url} responded ${response.status}.`);
  return await boundedText(response.body, maxBytes);
}

/** @throws {UserError} naming the file, if its content is not as expected */
function parsed<T>(text: string, name: string, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new UserError(`${name} is not as expected: ${cause instanceof Error ? cause.message : cause}`);
  }
}

async function verify(file: string, from: string | undefined): Promise<void> {
  const { jws, ...receipt } = parsed(await readFile(file, "utf8"), file, signedReceipt.loose());
  if (jws === null) throw new UserError("The receipt is not signed: its gateway has no RECEIPT_KEY.");
  const { keys } = parsed(await keysText(from), from ?? "The gateway's list of keys", receiptKeys);
  const signed = JSON.parse(verifiedPayload(jws, keys)) as unknown;
  if (!isDeepStrictEqual(signed, receipt))
    throw new UserError("The receipt is not the one that was signed: a field was changed.");
  print(`Valid: ${receipt.request_id}, ${receipt.operation} of ${receipt.model}, ${receipt.cost_usd} USD.`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { keys: { type: "string" }, help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  const [file] = positionals;
  if (values.help) return void process.stdout.write(help);
  if (file === undefined) throw new UserError("The receipt is missing: npm run verify -- <receipt.json>");
  await verify(file, values.keys);
}

await main().catch(fail);
