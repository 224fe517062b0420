import { UserError } from "@uag/local/terminal/step";
import type { Change } from "./changes.ts";

/** What clients, operators and replicas of another release depend on. */
const interfaces = [
  /^gateway\/openapi(?:-admin)?\.json$/,
  /^proto\/(?!gen\/).*\.proto$/,
  /^infra\/helm\/[\w-]+\/values\.yaml$/,
  /^infra\/config\/catalog\.schema\.json$/,
  /^infra\/metrics\.md$/,
  /^services\/[\w-]+\/src\/config\.ts$/,
];

/** Whether a change concerns one of the interfaces that a minor version may extend. */
export const extendsInterface = ({ files }: Change): boolean =>
  files.some((file) => interfaces.some((pattern) => pattern.test(file)));

/**
 * The version after `last`: the next major version if a change is breaking, the next minor version
 * if one concerns an interface, else the next patch version.
 * @throws {UserError} if nothing changed
 */
export function nextVersion(last: string, changes: readonly Change[]): string {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(last);
  if (parts === null) throw new UserError(`The version in package.json is not major.minor.patch: ${last}`);
  if (changes.length === 0) throw new UserError(`No commits since ${last}; there is no release to make.`);
  const [major = 0, minor = 0, patch = 0] = parts.slice(1).map(Number);
  if (changes.some(({ breaking }) => breaking.length > 0)) return `${major + 1}.0.0`;
  return changes.some(extendsInterface) ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}
