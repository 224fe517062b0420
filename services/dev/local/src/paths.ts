import { join } from "node:path";

/** The checkout that contains this code. */
export const repoRoot = join(import.meta.dirname, "../../../..");

/** Where downloaded engines are stored, independent of the data directory: fleets share them. */
export const binDir = join(repoRoot, ".data/bin");
