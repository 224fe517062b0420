import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nodeOptions } from "@uag/local/service-processes";
import { respondsOk } from "@uag/local/supervisor/health";
import type { ProcessSpec } from "@uag/local/supervisor/process";
import { acceptsConnections } from "@uag/local/supervisor/tcp";
import type { Workload } from "./manifests.ts";

/** The user of the manifests' containers. */
const nobody = 65_532;

export interface Pod {
  readonly name: string;
  readonly workload: Workload;
  readonly ip: string;
  /** Its folder, which contains the root of its file system and its mounts. */
  readonly dir: string;
  readonly spec: ProcessSpec;
  /** Its sidecars. */
  readonly sidecars: readonly ProcessSpec[];
}

export interface PodOptions {
  readonly workload: Workload;
  readonly ordinal: number;
  readonly ip: string;
  readonly dir: string;
  /** Folder of an image's tree, by the image's name. */
  imageOf(name: string): string;
  /** File with the addresses of all services. */
  readonly hosts: string;
  /** The contents of volumes, by file name; other volumes are empty folders. */
  filesOf(volume: Workload["template"]): Readonly<Record<string, string>> | undefined;
}

interface Mount {
  readonly from: string;
  readonly to: string;
  readonly writable?: boolean;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The work of a container runtime: mounts, a read-only root, and another user. */
function scriptOf(name: string, root: string, mounts: readonly Mount[], command: readonly string[]): string {
  const binds = mounts.flatMap(({ from, to, writable }) => {
    const target = quoted(join(root, to));
    return [`mount --bind ${quoted(from)} ${target}`, ...(writable ? [] : [`mount -o remount,bind,ro ${target}`])];
  });
  return `set -eu
hostname ${name}
mount --make-rprivate /
mount --bind ${quoted(root)} ${quoted(root)}
mount --rbind /dev ${quoted(join(root, "dev"))}
mount --rbind /proc ${quoted(join(root, "proc"))}
${binds.join("\n")}
mount -o remount,bind,ro ${quoted(root)}
exec /usr/sbin/chroot --userspec=${nobody}:${nobody} ${quoted(root)} /usr/bin/env -C /app ${command.map(quoted).join(" ")}
`;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

type Container = Workload["container"];

function environmentOf({ env = [] }: Container, name: string, ip: string): Record<string, string> {
  const fields: Readonly<Record<string, string>> = { "metadata.name": name, "status.podIP": ip };
  const textOf = ({ value, valueFrom }: Variable): string => {
    const found = value ?? fields[valueFrom?.fieldRef.fieldPath ?? ""];
    if (found === undefined) throw new Error(`${name}: unsupported valueFrom ${JSON.stringify(valueFrom)}`);
    return found;
  };
  const entries = env.map((variable: Variable) => [variable.name, textOf(variable)]);
  const variables: Record<string, string> = {
    PATH: "/app:/node/bin:/usr/bin:/bin",
    NODE_ENV: "production",
    ...Object.fromEntries(entries),
  };
  // The pods share this machine's network, so each listens on its own address only.
  return variables["HOST"] === undefined ? variables : { ...variables, HOST: ip };
}

/** Runs a container's probe like the kubelet. */
function probeOf(container: Container, ip: string, name: string): (timeoutMs?: number) => Promise<boolean> {
  const { httpGet, tcpSocket } = container[name];
  const { path, port } = httpGet ?? tcpSocket;
  const named = container.ports.find((one: { name: string }) => one.name === port);
  const number = named?.containerPort ?? port;
  if (httpGet === undefined) return () => acceptsConnections(number, ip);
  return (timeoutMs) => respondsOk(`http://${ip}:${number}${path}`, timeoutMs);
}

/** The volumes that a container mounts; containers of one pod share them. */
async function volumeMounts(options: PodOptions, container: Container): Promise<Mount[]> {
  const { workload, dir } = options;
  const mounts: Mount[] = [];
  for (const { name, mountPath, readOnly } of container.volumeMounts) {
    const from = join(dir, "volumes", name);
    await mkdir(from, { recursive: true });
    const volume = workload.template.volumes.find((one: { name: string }) => one.name === name);
    for (const [file, text] of Object.entries(options.filesOf(volume) ?? {})) {
      await writeFile(join(from, file), text);
      await chown(join(from, file), nobody, nobody);
      await chmod(join(from, file), 0o440);
    }
    await chown(from, nobody, nobody);
    mounts.push({ from, to: mountPath, writable: readOnly !== true });
  }
  return mounts;
}

/** The command of a container with its variables expanded, like the kubelet's. */
function commandOf({ command, args = [] }: Container, env: Readonly<Record<string, string>>): string[] {
  const words: string[] =
    command === undefined ? ["/node/bin/node", ...nodeOptions, "/app/main.js"] : [...command, ...args];
  return words.map((word) => word.replaceAll(/\$\((\w+)\)/g, (_, name: string) => env[name] ?? ""));
}

/** Creates a container's file system, and returns its start command. */
async function processOf(
  options: PodOptions,
  container: Container,
  at: { readonly name: string; readonly pod: string; readonly root: string },
): Promise<Omit<ProcessSpec, "isReady">> {
  const { ip, dir, hosts } = options;
  const { name, pod, root } = at;
  const system = ["/usr", "/bin", "/lib", "/lib64"].map((path) => ({ from: path, to: path }));
  const node = dirname(dirname(process.execPath));
  const image = options.imageOf(container.image);
  const mounts: Mount[] = [...system, { from: node, to: "/node" }, { from: image, to: "/app" }];
  mounts.push(...(await volumeMounts(options, container)));
  for (const { to } of [...mounts, { to: "dev" }, { to: "proc" }, { to: "etc" }])
    await mkdir(join(root, to), { recursive: true });
  await writeFile(join(root, "etc/hosts"), "");
  mounts.push({ from: hosts, to: "/etc/hosts" });
  const env = environmentOf(container, pod, ip);
  const script = `${root}.sh`;
  await writeFile(script, scriptOf(pod, root, mounts, commandOf(container, env)));
  return { name, command: ["unshare", "--mount", "--uts", "sh", script], env, cwd: dir };
}

/** Creates a pod's folder and returns its start command. */
export async function makePod(options: PodOptions): Promise<Pod> {
  const { workload, ordinal, ip, dir } = options;
  const { container } = workload;
  const name = `${workload.name}-${ordinal}`;
  const isAlive = probeOf(container, ip, "livenessProbe");
  const main = await processOf(options, container, { name, pod: name, root: join(dir, "root") });
  const spec: ProcessSpec = {
    ...main,
    isReady: () => probeOf(container, ip, "readinessProbe")(),
    liveness: { isAlive: () => isAlive(5_000) },
    stopMs: workload.template.terminationGracePeriodSeconds * 1_000,
  };
  const sidecars: ProcessSpec[] = [];
  for (const sidecar of workload.sidecars) {
    const at = { name: `${name}-${sidecar.name}`, pod: name, root: join(dir, sidecar.name) };
    sidecars.push({ ...(await processOf(options, sidecar, at)), isReady: async () => true });
  }
  return { name, workload, ip, dir, spec, sidecars };
}
