import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Ports } from "@uag/local/ports";
import { findApiServer, findEtcd } from "./programs.ts";

const readyTimeoutMs = 120_000;

interface ApiResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape.
  readonly body: any;
}

/** A Kubernetes control plane without components that run pods. */
export interface ApiServer extends AsyncDisposable {
  /** @param path with its query; `body`, if given, is created there */
  call(path: string, body?: unknown): Promise<ApiResponse>;
}

/** Starts etcd and kube-apiserver on their own ports, with their state in `dir`. */
export async function startApiServer(dir: string): Promise<ApiServer> {
  await using starting = new AsyncDisposableStack();
  await mkdir(dir, { recursive: true });
  const ports = starting.use(await Ports.load(join(dir, "ports.json")));
  const etcd = `http://127.0.0.1:${await ports.get("etcd")}`;
  const peer = `http://127.0.0.1:${await ports.get("etcd-peer")}`;
  const port = await ports.get("api-server");
  const token = randomUUID();
  const etcdArgs = [`--data-dir=${dir}/etcd`, `--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`];
  const peerArgs = [
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
  starting.use(await run(await findEtcd(), [...etcdArgs, ...peerArgs, "--unsafe-no-fsync"], join(dir, "etcd.log")));
  const args = [`--etcd-servers=${etcd}`, `--secure-port=${port}`, ...(await credentials(dir, token))];
  starting.use(await run(await findApiServer(), args, join(dir, "api-server.log")));
  const certificate = join(dir, "apiserver.crt");
  const call: ApiServer["call"] = async (path, body) =>
    send({ port, path, token, ca: await readFile(certificate) }, body);
  for (const deadline = performance.now() + readyTimeoutMs; ; await sleep(200)) {
    const ready = await call("/readyz").catch(() => undefined);
    if (ready?.status === 200) break;
    if (performance.now() < deadline) continue;
    const log = await readFile(join(dir, "api-server.log"), "utf8");
    throw new Error(`kube-apiserver did not become ready. Output:\n${log.slice(-2_000)}`);
  }
  const running = starting.move();
  return { call, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function credentials(dir: string, token: string): Promise<string[]> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const [key, tokens] = [join(dir, "accounts.key"), join(dir, "tokens.csv")];
  await writeFile(key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await writeFile(tokens, `${token},charts,charts,system:masters\n`, { mode: 0o600 });
  return [
    "--bind-address=127.0.0.1",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--authorization-mode=RBAC",
    `--cert-dir=${dir}`,
    `--token-auth-file=${tokens}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
  ];
}

async function run(program: string, args: readonly string[], logFile: string): Promise<AsyncDisposable> {
  const log = await open(logFile, "w");
  const child: ChildProcess = spawn(program, args, { stdio: ["ignore", log.fd, log.fd] });
  const spawned = once(child, "spawn");
  await log.close();
  await spawned;
  const ended = once(child, "exit");
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

interface Target {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly ca: Buffer;
}

async function send({ token, ...target }: Target, body: unknown): Promise<ApiResponse> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const method = body === undefined ? "GET" : "POST";
  const sending = request({ ...target, host: "127.0.0.1", servername: "kubernetes", method, headers });
  sending.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sending, "response");
  const received = await text(response);
  return { status: response.statusCode, body: received.startsWith("{") ? JSON.parse(received) : received };
}
