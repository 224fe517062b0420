import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kubeVersion } from "../schemas.ts";
import { builtOnce, moduleDir, runGo } from "../tools.ts";

interface Program {
  readonly module: string;
  readonly version: string;
  /** The import path of its `main` package. */
  readonly main: string;
  readonly name: string;
  /** Additional linker flags. */
  readonly linkerFlags?: string;
  /** Directives of its module that a module which requires it must repeat. */
  readonly replace?: (goMod: string) => string;
}

/** Kubernetes replaces its separately published libraries with those of its own tree. */
const kubernetes: Program = {
  module: "k8s.io/kubernetes",
  version: `v${kubeVersion}`,
  main: "k8s.io/kubernetes/cmd/kube-apiserver",
  name: "kube-apiserver",
  // Without this flag it cannot parse its own version.
  linkerFlags: `-X k8s.io/component-base/version.gitVersion=v${kubeVersion}`,
  replace: (goMod) => {
    const published = kubeVersion.replace(/^1/, "v0");
    return goMod.slice(goMod.indexOf("\nreplace (")).replaceAll(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${published}`);
  },
};

const etcd: Program = {
  module: "go.etcd.io/etcd/server/v3",
  version: "v3.6.6",
  main: "go.etcd.io/etcd/server/v3",
  name: "etcd",
};

/**
 * `go install` refuses a program whose module has replacements. A module of ours that requires it
 * may have them, and Go verifies everything against its checksum database.
 */
function built({ module, version, main, name, linkerFlags = "", replace = () => "" }: Program): Promise<string> {
  return builtOnce(`${module}@${version}`, name, async (dir) => {
    const work = join(dir, "module");
    await mkdir(work, { recursive: true });
    const theirs = await readFile(join(await moduleDir(`${module}@${version}`), "go.mod"), "utf8");
    const goVersion = /^go .*$/m.exec(theirs)?.[0];
    const ours = `module ${name}.invalid\n\n${goVersion}\n\nrequire ${module} ${version}\n${replace(theirs)}`;
    await writeFile(join(work, "go.mod"), ours);
    await runGo(["build", "-mod=mod", "-trimpath", `-ldflags=-s -w ${linkerFlags}`, "-o", join(dir, name), main], {
      cwd: work,
    });
  });
}

export const findApiServer = (): Promise<string> => built(kubernetes);
export const findEtcd = (): Promise<string> => built(etcd);
