import { mongoAccess, ownRoles } from "./mongo-users.ts";

/** The services' users and their roles; the operator's own user creates them. */
const users = Object.entries(mongoAccess).filter(([user]) => user !== "operator");

/**
 * A script for mongosh that creates or updates the roles and users of the services. Passwords come
 * from the function `passwordOf(user)`, which the script asks with mongosh's prompt if undefined.
 */
export function mongoshScript(): string {
  const list = (rows: readonly object[]): string => rows.map((row) => `  ${JSON.stringify(row)},\n`).join("");
  return `// The roles and users of the services. Run as a user who may create both: mongosh "$ADMIN_MONGODB_URL" roles.js
const roles = [
${list(ownRoles)}];
const users = [
${list(users.map(([user, roles]) => ({ user, roles })))}];
const password = typeof passwordOf === "function" ? passwordOf : (user) => (print("Password of " + user), passwordPrompt());
for (const { db: name, name: role, privileges } of roles) {
  const database = db.getSiblingDB(name);
  const known = (await database.runCommand({ rolesInfo: role })).roles.length > 0;
  await database.runCommand({ ...(known ? { updateRole: role } : { createRole: role }), privileges, roles: [] });
}
const admin = db.getSiblingDB("admin");
for (const { user, roles } of users) {
  if ((await admin.runCommand({ usersInfo: user })).users.length > 0) await admin.runCommand({ updateUser: user, roles });
  else await admin.runCommand({ createUser: user, pwd: await password(user), roles, mechanisms: ["SCRAM-SHA-256"] });
}
`;
}

/** As the Atlas Admin API names privilege actions: `listIndexes` is LIST_INDEXES. */
const atlasAction = (action: string): string => action.replaceAll(/[A-Z]/g, "_$&").toUpperCase();

/**
 * The bodies of requests that create the services' roles and users (without passwords) in MongoDB
 * Atlas, whose own roles are all in the database `admin`.
 * https://www.mongodb.com/docs/atlas/reference/custom-role-actions/
 */
export function atlasAccess(): { roles: object[]; users: object[] } {
  const owned = new Set(ownRoles.map(({ db, name }) => `${db}.${name}`));
  return {
    roles: ownRoles.map(({ name, privileges }) => {
      const actions = [...new Set(privileges.flatMap((one) => one.actions))];
      const resources = (action: string): object[] =>
        privileges.filter((one) => one.actions.includes(action)).map((one) => one.resource);
      return {
        roleName: name,
        actions: actions.map((action) => ({ action: atlasAction(action), resources: resources(action) })),
        inheritedRoles: [],
      };
    }),
    users: users.map(([username, roles]) => ({
      databaseName: "admin",
      username,
      roles: roles.map(({ role, db }) => ({ roleName: role, databaseName: owned.has(`${db}.${role}`) ? "admin" : db })),
    })),
  };
}
