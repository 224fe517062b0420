import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const zodDefault = "Invalid input";

/**
 * Replaces the issue of a union, which names no field, by the one that a person needs: the fault
 * within the member that the value was meant for, or else a list of what the members expect.
 */
export function unionFault(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const members = issue.errors.flatMap(([first]) => (first === undefined ? [] : [unionFault(first)]));
  const meant = members.find((fault) => isInside(fault) && !isMismatch(fault)) ?? members.find(isFormFault);
  if (meant !== undefined) return at(issue, meant);
  if (issue.message !== zodDefault) return issue;
  const [first] = members;
  if (first === undefined) return issue;
  if (members.every(isMissing)) return at(issue, first);
  const tagged = members.filter(isInside);
  return tagged.length > 0 ? at(issue, expectedOf(tagged)) : at(issue, expectedOf(members));
}

const isInside = ({ path }: Issue): boolean => path.length > 0;

/** A value of another kind, or another literal: the value was not meant for this member. */
const isMismatch = ({ code, path }: Issue): boolean =>
  code === "invalid_value" || (code === "invalid_type" && path.length === 0);

/** The value has the member's kind, but not its length, range or format. */
const isFormFault = (fault: Issue): boolean => !isInside(fault) && !isMismatch(fault) && fault.code !== "invalid_union";

const isMissing = (fault: Issue): boolean => !isInside(fault) && fault.message.endsWith("received undefined");

const at = ({ path }: Issue, fault: Issue): Issue => ({ ...fault, path: [...path, ...fault.path] });

/** One fault that lists what each of these expects at the first one's place. */
function expectedOf(faults: readonly Issue[]): Issue {
  const [{ path }] = faults as [Issue];
  const same = faults.filter((fault) => fault.path.join(".") === path.join("."));
  const expected = new Set(same.flatMap(expectations));
  return { code: "custom", path, message: `${zodDefault}: expected ${[...expected].join(" or ")}` };
}

function expectations(fault: Issue): string[] {
  if (fault.code === "invalid_type") return [fault.expected];
  if (fault.code === "invalid_value") return fault.values.map((value) => JSON.stringify(value));
  return [fault.message.replace(/^Invalid input: expected /, "")];
}
