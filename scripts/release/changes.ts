import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { repoRoot } from "@uag/local/paths";

/** A commit, without its merges. */
export interface Change {
  readonly subject: string;
  /** The texts of its lines `Breaking: <what an operator or a client must do>`. */
  readonly breaking: readonly string[];
  /** Paths from the top of the checkout. */
  readonly files: readonly string[];
}

const [record, field] = ["\x1e", "\x1f"];

/** The commits after `ref`, oldest first. @param root the checkout */
export async function changesSince(ref: string, root = repoRoot): Promise<Change[]> {
  const format = `--format=${record}%s${field}%b${field}`;
  const args = ["log", "--no-merges", "--topo-order", "--reverse", "--name-only", format, `${ref}..HEAD`];
  const { stdout } = await promisify(execFile)("git", args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .split(record)
    .slice(1)
    .map((text) => {
      const [subject = "", body = "", names = ""] = text.split(field);
      const breaking = [...body.matchAll(/^Breaking: (.+(?:\n(?!\n|[A-Z][\w-]*: ).+)*)/gm)];
      return {
        subject,
        breaking: breaking.map(([, what = ""]) => what.trim().replaceAll(/\s+/g, " ")),
        files: names.split("\n").filter((name) => name !== ""),
      };
    });
}
