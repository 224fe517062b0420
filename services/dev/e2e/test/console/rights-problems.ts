import { createInvitationRequest, updateUserRequest } from "@uag/console/people/requests";
import { type AdminOperation, adminRoutes } from "@uag/contract/routes";
import { adminOperations } from "@uag/router/openapi/admin";
import { z } from "zod";
import { consoleFieldRights, fieldRights, type Rows } from "./field-rights.ts";

/** The admin operations that have a body. */
export const writable = adminRoutes.filter(({ body }) => body === "json").map(({ operation }) => operation);

const consoleSchemas = { "users.update": updateUserRequest, "invitations.create": createInvitationRequest };

/** The fields of a body; `""` for a body without fields. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return fields.length === 0 ? [""] : fields;
}

const schemaOf = (operation: AdminOperation): z.ZodType | undefined =>
  Object.values(adminOperations[operation]?.request ?? {})[0];

function compare(table: Readonly<Record<string, Rows>>, schemas: Readonly<Record<string, z.ZodType | undefined>>) {
  const problems: string[] = [];
  for (const operation of new Set([...Object.keys(schemas), ...Object.keys(table)])) {
    const fields = operation in schemas ? fieldsOf(schemas[operation]) : [];
    const rows = Object.keys(table[operation] ?? {});
    for (const field of fields) if (!rows.includes(field)) problems.push(`${operation} ${field}: has no row of rights`);
    for (const row of rows) if (!fields.includes(row)) problems.push(`${operation} ${row}: has a row, but is no field`);
  }
  return problems;
}

/** The writable fields of the admin API and of the console's own without a row of rights, and rows without a field. */
export const rightsProblems = (): string[] => [
  ...compare(fieldRights, Object.fromEntries(writable.map((operation) => [operation, schemaOf(operation)]))),
  ...compare(consoleFieldRights, consoleSchemas),
];
