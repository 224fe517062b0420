import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { issue, makeAuthority } from "@uag/local/identity/authority";
import { apiServer, nodeName } from "./settings.ts";

/** Who may call the API server: the group decides what each may do. */
const users = {
  admin: { name: "admin", group: "system:masters" },
  kubelet: { name: `system:node:${nodeName}`, group: "system:nodes" },
  "kube-controller-manager": { name: "system:kube-controller-manager", group: "" },
  "kube-scheduler": { name: "system:kube-scheduler", group: "" },
  "kube-proxy": { name: "system:kube-proxy", group: "" },
  "cert-manager": { name: "cert-manager", group: "system:masters" },
} as const;

export type User = keyof typeof users;

/** Files with which the control plane's programs know each other. */
export interface Credentials {
  readonly tokens: string;
  /** Of the API server, which makes its certificate there. */
  readonly certDir: string;
  readonly serviceAccountKey: string;
  /** What the API server shows to servers of further APIs, and the authority that signed it. */
  readonly frontProxy: { readonly ca: string; readonly cert: string; readonly key: string; readonly name: string };
  kubeconfig(user: User): string;
}

const configOf = (user: string, token: string, ca: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "uag", cluster: { server: apiServer, "certificate-authority": ca } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: "uag", context: { cluster: "uag", user, namespace: "uag" } }],
    "current-context": "uag",
  });

async function makeFrontProxy(dir: string): Promise<Credentials["frontProxy"]> {
  const name = "front-proxy-client";
  const authority = await makeAuthority();
  const pair = await issue(authority, { commonName: name });
  const contents = { ca: authority.cert, cert: pair.cert, key: pair.key };
  const files = { ca: join(dir, "front-proxy-ca.crt"), cert: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) };
  for (const part of ["ca", "cert", "key"] as const) await writeFile(files[part], contents[part], { mode: 0o600 });
  return { ...files, name };
}

export async function makeCredentials(dir: string): Promise<Credentials> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const certDir = join(dir, "api-server");
  const rows: string[] = [];
  const fileOf = (user: string): string => join(dir, `${user}.kubeconfig`);
  for (const [user, { name, group }] of Object.entries(users)) {
    const token = randomUUID();
    rows.push(`${token},${name},${name}${group === "" ? "" : `,${group}`}`);
    await writeFile(fileOf(user), configOf(name, token, join(certDir, "apiserver.crt")), { mode: 0o600 });
  }
  const [tokens, serviceAccountKey] = [join(dir, "tokens.csv"), join(dir, "service-accounts.key")];
  await writeFile(tokens, `${rows.join("\n")}\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(serviceAccountKey, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return { tokens, certDir, serviceAccountKey, frontProxy: await makeFrontProxy(dir), kubeconfig: fileOf };
}
