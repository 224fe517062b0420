import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nodeOptions } from "../../services/fleet/src/service-processes.ts";
import { respondsOk } from "../../services/fleet/src/supervisor/health.ts";
import type { ProcessSpec } from "../../services/fleet/src/supervisor/process.ts";
import type { Workload } from "./manifests.ts";

/** Whom the manifests run a container as. */
const nobody = 65_532;

export interface Pod {
  readonly name: string;
  readonly workload: Workload;
  readonly ip: string;
  /** Its folder: the root of its file system is below it, and what is mounted there. */
  readonly dir: string;
  readonly spec: ProcessSpec;
}

export interface PodOptions {
  readonly workload: Workload;
  readonly ordinal: number;
  readonly ip: string;
  readonly dir: string;
  /** Folder of its image's tree. */
  readonly image: string;
  /** File with the addresses of all services. */
  readonly hosts: string;
  /** What is in a volume, by file name; one that is not here is an empty folder. */
  filesOf(volume: Workload["template"]): Readonly<Record<string, string>> | undefined;
}

interface Mount {
  readonly from: string;
  readonly to: string;
  readonly writable?: boolean;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What a container runtime does: its mounts, a root that is read-only, and another user. */
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
exec /usr/sbin/chroot --userspec=${nobody}:${nobody} ${quoted(root)} ${command.map(quoted).join(" ")}
`;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

function environmentOf({ container }: Workload, name: string, ip: string): Record<string, string> {
  const fields: Readonly<Record<string, string>> = { "metadata.name": name, "status.podIP": ip };
  const textOf = ({ value, valueFrom }: Variable): string => {
    const found = value ?? fields[valueFrom?.fieldRef.fieldPath ?? ""];
    if (found === undefined) throw new Error(`${name}: nothing is known of ${JSON.stringify(valueFrom)}`);
    return found;
  };
  const entries = container.env.map((variable: Variable) => [variable.name, textOf(variable)]);
  return { PATH: "/app:/usr/bin:/bin", NODE_ENV: "production", ...Object.fromEntries(entries) };
}

function urlOf({ container }: Workload, ip: string, probe: string): string {
  const { path, port } = container[probe].httpGet;
  const number = container.ports.find(({ name }: { name: string }) => name === port).containerPort;
  return `http://${ip}:${number}${path}`;
}

async function volumeMounts(options: PodOptions): Promise<Mount[]> {
  const { workload, dir } = options;
  const mounts: Mount[] = [];
  for (const { name, mountPath, readOnly } of workload.container.volumeMounts) {
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

/** Makes a pod's folder and says how it is started. */
export async function makePod(options: PodOptions): Promise<Pod> {
  const { workload, ordinal, ip, dir, image, hosts } = options;
  const name = `${workload.name}-${ordinal}`;
  const root = join(dir, "root");
  const system = ["/usr", "/bin", "/lib", "/lib64"].map((path) => ({ from: path, to: path }));
  const node = dirname(dirname(process.execPath));
  const mounts: Mount[] = [...system, { from: node, to: "/node" }, { from: image, to: "/app" }];
  mounts.push(...(await volumeMounts(options)));
  for (const { to } of [...mounts, { to: "dev" }, { to: "proc" }, { to: "etc" }])
    await mkdir(join(root, to), { recursive: true });
  await writeFile(join(root, "etc/hosts"), "");
  mounts.push({ from: hosts, to: "/etc/hosts" });
  const script = join(dir, "start.sh");
  const { command: own, args = [] } = workload.container;
  const command = own === undefined ? ["/node/bin/node", ...nodeOptions, "/app/main.js"] : [...own, ...args];
  await writeFile(script, scriptOf(name, root, mounts, command));
  const spec: ProcessSpec = {
    name,
    command: ["unshare", "--mount", "--uts", "sh", script],
    env: environmentOf(workload, name, ip),
    cwd: dir,
    isReady: () => respondsOk(urlOf(workload, ip, "readinessProbe")),
    liveness: { isAlive: () => respondsOk(urlOf(workload, ip, "livenessProbe"), 5_000) },
  };
  return { name, workload, ip, dir, spec };
}
