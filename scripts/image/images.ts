import { createRequire } from "node:module";
import { buildConsole } from "@uag/local/console-web";
import { services, simulator } from "@uag/local/processes";

/** This release's, and the default tag of its images. */
export const { version } = createRequire(import.meta.url)("../../package.json") as { readonly version: string };

/** The contents of an image in addition to its bundled code. */
export interface Image {
  readonly service: string;
  /** The programs by bundle name; a container runs `main`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Files read at run time, as globs from the top of the checkout; they keep their paths. */
  readonly files: readonly string[];
  /**
   * Packages with files that are read at run time, and these files; the package's code is bundled.
   * A package without any cannot be bundled: it is copied whole.
   */
  readonly packages: Readonly<Record<string, readonly string[]>>;
  /** Creates the files that are not sources. */
  prepare?(report: (line: string) => void): Promise<void>;
}

type Extras = Partial<Pick<Image, "files" | "packages" | "prepare"> & { commands: Readonly<Record<string, string>> }>;

const extras: Readonly<Record<string, Extras>> = {
  router: {
    files: ["gateway/openapi*.json", "gateway/src/docs/*.{html,css,js}", "gateway/src/docs/guides/*.md"],
    packages: { redoc: ["bundles/redoc.standalone.js"], "@highlightjs/cdn-assets": ["highlight.min.js"] },
  },
  console: {
    files: ["services/console/web/dist/**"],
    prepare: (report) => buildConsole({ report }),
  },
  billing: {
    commands: {
      catalog: "services/dev/cli/src/commands/catalog.ts",
      "mongo-users": "services/dev/local/src/engines/put-mongo-users.ts",
      "mongo-member": "services/dev/local/src/engines/mongo-member.ts",
    },
  },
  metering: { commands: { "replay-dead": "services/metering/src/commands/replay-dead.ts" } },
  media: { packages: { sharp: [] } },
  speech: { packages: { "wasm-media-encoders": ["wasm/mp3.wasm"] } },
  simulator: {
    files: ["services/dev/simulator/fixtures/*"],
    packages: { sharp: [], "wasm-media-encoders": [] },
  },
};

/** The operator's commands, for `kubectl exec`. */
const toolbox: Image = {
  service: "toolbox",
  entries: { main: "services/dev/cli/src/toolbox.ts", uag: "services/dev/cli/src/uag.ts" },
  files: [],
  packages: {},
};

/** All images; the simulator's is only for trials. */
export const images: readonly Image[] = [
  ...[...services, simulator].map(({ name, entry }) => {
    const { files = [], packages = {}, commands = {}, ...others } = extras[name] ?? {};
    return { service: name, entries: { main: entry, ...commands }, files, packages, ...others };
  }),
  toolbox,
];
