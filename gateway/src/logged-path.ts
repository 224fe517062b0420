import { adminRoutes, routes } from "@uag/contract/routes";
import { pathOf } from "@uag/runtime/http/target";
import { mounts } from "./mounts.ts";

const maxLength = 256;

/** Words of paths that services behind mounts serve. */
const mountWords = ["api", "invitations", "accept", "session", "gateway", "openapi.json", "docs", "health"];

/**
 * The words of our own paths. Anything else in a path may be an id, or a secret such as a token.
 */
const words: ReadonlySet<string> = new Set(
  [...routes, ...adminRoutes, ...mounts]
    .flatMap(({ path }) => path.split("/"))
    .concat(mountWords)
    .filter((word) => !word.startsWith(":")),
);

/**
 * A request's path as the log may show it: each segment that is not part of a known path is
 * `*`, because a path may contain a secret, such as an invitation's token.
 */
export const loggedPath = (target: string): string =>
  pathOf(target)
    .split("/")
    .map((segment) => (words.has(segment) ? segment : "*"))
    .join("/")
    .slice(0, maxLength);
