import { endUserHeader, maxEndUserLength } from "@uag/contract/end-users";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { routes } from "@uag/contract/routes";
import type { LinkExchange } from "@uag/link/server-exchange";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { callerFor } from "@uag/usage/end-users/caller";
import type { AnyBody } from "./body-reader.ts";

interface NamedEndUser {
  readonly param: string;
  readonly name: string;
}

/** Operations without a bill: a request of one counts toward no level. */
const unbilled: ReadonlySet<string> = new Set(
  routes.flatMap((route) => ("operation" in route && route.billing === "none" ? [route.operation] : [])),
);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The end user that a body names: see infra/decisions/0020-budgets.md. */
function namedIn({ fields }: AnyBody): NamedEndUser | undefined {
  const field = (name: string): unknown => (fields instanceof Map ? fields.get(name) : (fields as never)[name]);
  const metadata = field("metadata");
  const named = [
    ["safety_identifier", field("safety_identifier")],
    ["user", field("user")],
    ["metadata.user_id", isObject(metadata) ? metadata["user_id"] : undefined],
  ] as const;
  for (const [param, name] of named) if (typeof name === "string" && name !== "") return { param, name };
  return undefined;
}

function endUserOf(body: AnyBody, exchange: Pick<LinkExchange, "header">): NamedEndUser | undefined {
  const named = namedIn(body);
  if (named !== undefined) return named;
  const name = exchange.header(endUserHeader) ?? "";
  return name === "" ? undefined : { param: endUserHeader, name };
}

/**
 * The caller of a request: with the levels of its end user where a budget of the key has a rule for end
 * users.
 * @param body as it was parsed for the upstream
 * @throws {GatewayError} `invalid_request` without an end user where a rule requires one, and for a
 * name that is too long
 */
export function callerOfRequest(
  { exchange, caller }: { readonly exchange: Pick<LinkExchange, "header" | "operation">; readonly caller: Caller },
  body: AnyBody,
): Caller {
  if (caller.endUsers === undefined || unbilled.has(exchange.operation)) return caller;
  const { rules } = caller.endUsers;
  const endUser = endUserOf(body, exchange);
  if (endUser !== undefined) {
    if (endUser.name.length > maxEndUserLength) throw tooLong(endUser);
    return callerFor(caller, rules, endUser.name);
  }
  const requiring = rules.find(({ required }) => required);
  if (requiring === undefined) return caller;
  const text = `user: The budget "${requiring.name}" (${requiring.budgetId}) requires an end user. Set safety_identifier, user or metadata.user_id in the body, or the header ${endUserHeader}.`;
  throw new GatewayError("invalid_request", text, { param: "user" });
}

function tooLong({ param }: NamedEndUser): GatewayError {
  const text = `${param}: An end user's name can have at most ${maxEndUserLength} characters.`;
  return new GatewayError("invalid_request", text, { param });
}
