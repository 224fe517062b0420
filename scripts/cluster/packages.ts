import { runTool } from "@uag/local/engines/run-tool";
import { step, UserError } from "@uag/local/terminal/step";

/** Programs that the node runs, by Debian package. */
const packages: Readonly<Record<string, string>> = {
  containerd: "containerd",
  runc: "runc",
  "containernetworking-plugins": "/usr/lib/cni/ptp",
  iptables: "iptables",
  conntrack: "conntrack",
  nftables: "nft",
  iproute2: "ip",
};

async function missing(): Promise<string[]> {
  const names: string[] = [];
  for (const [name, program] of Object.entries(packages)) {
    const { code } = await runTool("sh", ["-c", `PATH=$PATH:/usr/sbin:/sbin command -v ${program}`]);
    if (code !== 0) names.push(name);
  }
  return names;
}

/**
 * Installs what the node needs with apt.
 * @throws {UserError} with what is missing on a machine that is not Debian's
 */
export async function installPackages(): Promise<void> {
  const wanted = await missing();
  if (wanted.length === 0) return;
  const install = `apt-get install --yes --no-install-recommends ${wanted.join(" ")}`;
  const { code, output } = await step(install, () =>
    runTool("sh", ["-c", `DEBIAN_FRONTEND=noninteractive ${install} </dev/null`]),
  );
  if (code !== 0) throw new UserError(`npm run k8s needs: ${wanted.join(", ")}. ${install} failed:\n${output.trim()}`);
}
