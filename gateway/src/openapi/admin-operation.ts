import type { z } from "zod";
import type { Named, Operation } from "./operation.ts";
import type { Tag } from "./tags.ts";

interface Query {
  readonly shape: Readonly<Record<string, z.ZodType>>;
}

interface RequestBodies {
  readonly request?: z.ZodType;
  readonly query?: Query;
  readonly status?: Operation["status"];
}

/** Request and response schemas get names in the document, after the operation. */
export function admin(
  tag: Tag,
  id: string,
  summary: string,
  [name, response]: [string, z.ZodType],
  { request, query, status }: RequestBodies = {},
): Operation {
  const named: Named = { [`Admin${name}`]: response };
  return {
    id,
    tag,
    summary,
    ok: { json: named },
    ...(request !== undefined && { request: { [`Admin${name}Request`]: request } }),
    ...(query !== undefined && { query: query.shape }),
    ...(status !== undefined && { status }),
    admin: true,
  };
}
