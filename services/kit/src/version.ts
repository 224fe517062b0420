import manifest from "../package.json" with { type: "json" };

/** Of this build: all packages of the house have the same. */
export const { version } = manifest;
