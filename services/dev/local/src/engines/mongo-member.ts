// The sidecar of a MongoDB server: initiates the set, creates users, and serves the readiness check.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { commaList, readConfig } from "@uag/runtime/config";
import { createLogger } from "@uag/runtime/log";
import { z } from "zod";
import { passwordsOf } from "./mongo-passwords.ts";
import { type Member, type Passwords, rotateCertificates, tendMember } from "./mongo-set.ts";

const schema = z.object({
  HOST: z.string().min(1).describe("Address of the pod."),
  PORT: z.coerce.number().int().min(0).max(65535).describe("Port of `/ready`."),
  POD_NAME: z.string().min(1).describe("Name of the pod: the first of MEMBERS may initiate the set."),
  MEMBERS: commaList.pipe(z.array(z.string().regex(/^[\w.-]+:\d+$/)).min(1)).describe("All members, `host:port`."),
  REPLICA_SET: z.string().min(1).describe("Name of the set."),
  SOCKET: z.string().min(1).describe("The server's Unix socket."),
  CERTIFICATE: z
    .string()
    .min(1)
    .describe("The server's certificate and key, PEM; the sidecar reloads them when they change."),
  CA: z.string().min(1).describe("The CA that the members trust, PEM."),
  PASSWORDS: z.string().min(1).describe("File with the users' passwords, JSON by name; `operator` is the first."),
});

type Config = z.infer<typeof schema>;

const startingMs = 1_000;
const usualMs = 5_000;

/** The file contents that were last applied; they change with the Secret. */
interface Applied {
  passwords: string;
  certificate: string;
}

/** @throws without the operator's password, because the operator creates the other users */
function operatedBy({ operator, ...others }: ReturnType<typeof passwordsOf>): Passwords {
  if (operator === undefined) throw new Error("PASSWORDS has no password of operator");
  return { ...others, operator };
}

async function tend(member: Member, config: Config, applied: Applied): Promise<boolean> {
  const text = await readFile(config.PASSWORDS, "utf8");
  const certificate = await readFile(config.CERTIFICATE, "utf8");
  const passwords = operatedBy(passwordsOf(text));
  const ready = await tendMember(member, passwords, text !== applied.passwords);
  if (!ready) return false;
  applied.passwords = text;
  // The server may have started with another certificate, before this sidecar.
  if (applied.certificate !== certificate) await rotateCertificates(member, passwords);
  applied.certificate = certificate;
  return true;
}

async function main(): Promise<void> {
  const config = readConfig(schema);
  const log = createLogger({ service: "mongodb", level: "info" });
  const { SOCKET: socket, REPLICA_SET: set, MEMBERS: members, CA: caFile } = config;
  const first = members[0]?.startsWith(`${config.POD_NAME}.`) === true;
  const member = { socket, set, members, first, caFile };
  const applied: Applied = { passwords: "", certificate: "" };
  let ready = false;
  let reason = "";
  const server = createServer((_request, response) => response.writeHead(ready ? 200 : 503).end());
  server.listen(config.PORT, config.HOST);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));
  for (;;) {
    const now = await tend(member, config, applied).catch((error: unknown) => {
      if (String(error) !== reason) log.warn({ err: error }, "MongoDB member not ready");
      reason = String(error);
      return false;
    });
    if (now !== ready) log.info({ ready: now }, "MongoDB member state changed");
    ready = now;
    await sleep(ready ? usualMs : startingMs);
  }
}

await main();
