import { join } from "node:path";

/** The checkout this code runs from. */
export const repoRoot = join(import.meta.dirname, "../../..");

/** Where fetched engines are kept, whatever the data directory: two fleets share them. */
export const binDir = join(repoRoot, ".data/bin");
