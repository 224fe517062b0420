import manifest from "../package.json" with { type: "json" };

/** The version of this build, shared by all packages of the project. */
export const { version } = manifest;
