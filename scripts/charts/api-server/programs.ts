import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kubeVersion } from "../schemas.ts";
import { builtOnce, moduleDir, runGo } from "../tools.ts";

export interface Program {
  readonly module: string;
  readonly version: string;
  readonly name: string;
  /** The import path of its `main` package; without it, `source` is the package. */
  readonly main?: string;
  /** A file of this repository with a `main` package that uses the module. */
  readonly source?: string;
  /** Additional linker flags. */
  readonly linkerFlags?: string;
  /** Directives of its module that a module which requires it must repeat. */
  readonly replace?: (goMod: string) => string;
}

/** A program of Kubernetes, which replaces its separately published libraries with those of its own tree. */
const kubernetes = (name: string): Program => ({
  module: "k8s.io/kubernetes",
  version: `v${kubeVersion}`,
  main: `k8s.io/kubernetes/cmd/${name}`,
  name,
  // Without this flag it cannot parse its own version.
  linkerFlags: `-X k8s.io/component-base/version.gitVersion=v${kubeVersion}`,
  replace: (goMod) => {
    const published = kubeVersion.replace(/^1/, "v0");
    return goMod.slice(goMod.indexOf("\nreplace (")).replaceAll(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${published}`);
  },
});

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
export function built(program: Program): Promise<string> {
  const { module, version, main = ".", source, name, linkerFlags = "", replace = () => "" } = program;
  return builtOnce(`${module}@${version}`, name, async (dir) => {
    const work = join(dir, "module");
    await mkdir(work, { recursive: true });
    const theirs = await readFile(join(await moduleDir(`${module}@${version}`), "go.mod"), "utf8");
    const goVersion = /^go .*$/m.exec(theirs)?.[0];
    const ours = `module ${name}.invalid\n\n${goVersion}\n\nrequire ${module} ${version}\n${replace(theirs)}`;
    await writeFile(join(work, "go.mod"), ours);
    if (source !== undefined) await copyFile(source, join(work, "main.go"));
    await runGo(["build", "-mod=mod", "-trimpath", `-ldflags=-s -w ${linkerFlags}`, "-o", join(dir, name), main], {
      cwd: work,
      // A program without C libraries runs in an image without any.
      env: { CGO_ENABLED: "0" },
    });
  });
}

export const findKubernetes = (name: string): Promise<string> => built(kubernetes(name));
export const findApiServer = (): Promise<string> => findKubernetes("kube-apiserver");
export const findEtcd = (): Promise<string> => built(etcd);
