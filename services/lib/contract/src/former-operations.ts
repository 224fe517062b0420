/**
 * Operations that had another name on the link in the previous release, by their current name. The
 * router still sends the former name, because it may be upgraded before a service; services accept
 * both. The next release's router can send the current name, and `currentName` can go in the release
 * after that. Ids of idempotency records contain the former name, because replicas of both releases
 * must find the same record: `formerName` stays until those ids have a new form.
 */
const formerNames: ReadonlyMap<string, string> = new Map([
  ["messages", "messages.create"],
  ["responses", "responses.create"],
  ["videos.generations", "videos.create"],
]);

const currentNames: ReadonlyMap<string, string> = new Map([...formerNames].map(([now, before]) => [before, now]));

/** An operation's name in the table of routes, from either of its names. */
export const currentName = (operation: string): string => currentNames.get(operation) ?? operation;

/** The name that an operation had first, from its current name. */
export const formerName = (operation: string): string => formerNames.get(operation) ?? operation;
