import type { Change } from "./changes.ts";
import { extendsInterface } from "./version.ts";

const width = 120;

/** A list item, wrapped to the width of Markdown files. */
function item(text: string): string {
  const lines = [""];
  for (const word of `- ${text}`.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last === "") lines[lines.length - 1] = word;
    else if (last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.join("\n");
}

const section = (title: string, items: readonly string[]): string =>
  items.length === 0 ? "" : `\n### ${title}\n\n${items.map(item).join("\n")}\n`;

/** Whether a change is part of what a release ships: services, their interfaces, charts and handbook. */
const isShipped = ({ files }: Change): boolean =>
  files.some((file) => /^(?:gateway|infra|proto|services\/(?!dev\/))/.test(file) && !/(?:^|\/)test\//.test(file));

/**
 * A release's entry: what is breaking, the changes of interfaces, and the other changes of what is
 * shipped, by area.
 * @param date as YYYY-MM-DD
 */
export function changelogEntry(version: string, date: string, changes: readonly Change[]): string {
  const shipped = changes.filter(isShipped);
  const subjects = (list: readonly Change[]): string[] => [...new Set(list.map(({ subject }) => subject))].sort();
  return [
    `## ${version} (${date})\n`,
    section(
      "Breaking",
      changes.flatMap(({ breaking }) => breaking),
    ),
    section("Interfaces", subjects(shipped.filter(extendsInterface))),
    section("Other changes", subjects(shipped.filter((change) => !extendsInterface(change)))),
  ].join("");
}

/** The changelog with an entry above those of earlier releases. */
export function withEntry(changelog: string, entry: string): string {
  const at = changelog.search(/^## /m);
  return at === -1 ? `${changelog.trimEnd()}\n\n${entry}` : `${changelog.slice(0, at)}${entry}\n${changelog.slice(at)}`;
}
