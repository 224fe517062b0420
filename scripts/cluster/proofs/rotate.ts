import { randomBytes, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";
import { waitFor } from "@uag/harness/testing/wait-for";
import { namespace } from "../fleet/install.ts";
import { type Around, type Finding, seconds, underLoad } from "./under-load.ts";

interface Certificate {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly secretName: string };
  readonly status?: { readonly revision?: number };
}

interface Pod {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly containers: readonly { readonly ports?: readonly { readonly name?: string; containerPort: number }[] }[];
    readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[];
  };
  readonly status: { readonly podIP: string };
}

const limits = { timeoutMs: 300_000, everyMs: 2_000 };

const certificates = async ({ kubectl }: Around): Promise<Certificate[]> =>
  (await kubectl.get("--namespace", namespace, "certificates")).items;

/** What `cmctl renew` does: cert-manager issues a certificate with this condition anew. */
async function renew({ kubectl }: Around, name: string): Promise<void> {
  const condition = { type: "Issuing", status: "True", reason: "ManuallyTriggered", message: "" };
  const value = { ...condition, lastTransitionTime: new Date().toISOString() };
  const patch = JSON.stringify([{ op: "add", path: "/status/conditions/-", value }]);
  const target = ["certificate", name, "--subresource=status", "--type=json", "--patch", patch];
  await kubectl.run(["--namespace", namespace, "patch", ...target]);
}

/** The serial number of the certificate that a server presents. */
async function shown(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"], timeout: 5_000 });
  socket.on("error", () => undefined).on("timeout", () => socket.destroy(new Error("no handshake within 5 s")));
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

async function issued({ kubectl }: Around, secretName: string): Promise<string> {
  const { data } = await kubectl.get("--namespace", namespace, "secret", secretName);
  return new X509Certificate(Buffer.from(data["tls.crt"], "base64")).serialNumber;
}

/** Every gRPC server of the fleet with the Secret of its certificate. */
async function servers({ kubectl }: Around): Promise<{ host: string; port: number; secretName: string }[]> {
  const { items } = await kubectl.get("--namespace", namespace, "pods");
  return (items as Pod[]).flatMap(({ spec, status }) => {
    const port = spec.containers.flatMap(({ ports = [] }) => ports).find(({ name }) => name === "grpc")?.containerPort;
    const secretName = spec.volumes.map(({ secret }) => secret?.secretName).find((name) => name?.endsWith("-tls"));
    return port === undefined || secretName === undefined ? [] : [{ host: status.podIP, port, secretName }];
  });
}

/** Renews every certificate, and waits until each server shows its new one. */
async function renewAll(around: Around): Promise<string> {
  const before = await certificates(around);
  const startedAt = performance.now();
  for (const { metadata } of before) await renew(around, metadata.name);
  const revisions = new Map(before.map(({ metadata, status }) => [metadata.name, status?.revision ?? 0]));
  const areRenewed = async (): Promise<boolean> =>
    (await certificates(around)).every(
      ({ metadata, status }) => (status?.revision ?? 0) > (revisions.get(metadata.name) ?? 0),
    );
  await waitFor(areRenewed, { ...limits, what: "a renewal of every certificate" });
  const issuedAfter = seconds(startedAt);
  const all = await servers(around);
  if (all.length === 0) throw new Error("no gRPC server was found");
  const areUsed = async (): Promise<boolean> => {
    for (const { host, port, secretName } of all)
      if ((await shown(host, port)) !== (await issued(around, secretName))) return false;
    return true;
  };
  await waitFor(areUsed, { ...limits, what: "the use of every new certificate" });
  return `cert-manager renewed ${before.length} certificates in ${issuedAfter} s, ${all.length} servers use theirs after ${seconds(startedAt)} s`;
}

const pepperServices = ["billing", "router"] as const;

async function put({ kubectl }: Around, values: Readonly<Record<string, string>>): Promise<void> {
  const patch = JSON.stringify({ stringData: values });
  for (const service of pepperServices)
    await kubectl.run(["--namespace", namespace, "patch", "secret", `uag-${service}`, "--patch", patch]);
}

async function restart({ kubectl }: Around): Promise<void> {
  for (const service of pepperServices) {
    await kubectl.run(["--namespace", namespace, "rollout", "restart", `deployment/uag-${service}`]);
    await kubectl.run(["--namespace", namespace, "rollout", "status", `deployment/uag-${service}`, "--timeout=900s"]);
  }
}

/** Replaces the pepper of all keys in the handbook's three rollouts. */
async function replacePepper(around: Around): Promise<string> {
  const { kubectl, release } = around;
  const startedAt = performance.now();
  const { data } = await kubectl.get("--namespace", namespace, "secret", "uag-router");
  const old = Buffer.from(data["KEY_PEPPER"], "base64").toString();
  const next = randomBytes(32).toString("hex");
  await put(around, { KEY_PEPPER_PREVIOUS: next });
  await release.accept("KEY_PEPPER_PREVIOUS", pepperServices);
  await put(around, { KEY_PEPPER: next, KEY_PEPPER_PREVIOUS: old });
  await restart(around);
  await release.upgrade();
  return `KEY_PEPPER replaced by three rollouts in ${seconds(startedAt)} s`;
}

/** Replaces every certificate and the pepper under load. */
export const rotate = (around: Around): Promise<Finding> =>
  underLoad(around, async () => `${await renewAll(around)}; ${await replacePepper(around)}`);
