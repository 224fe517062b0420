import assert from "node:assert/strict";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { Visitor } from "./visitor.ts";

type Called = Pick<TestFleet, "run">;

export const password = "correct horse battery staple";

export interface Assignment {
  readonly email: string;
  readonly role: string;
  readonly account_id: string | null;
}

/** The first operator of a fleet, signed in. */
export async function firstOperator({ run }: Called): Promise<Visitor> {
  return await new Visitor(run.console_url).signIn(run.admin.email, run.admin.password);
}

/** Creates an invitation. @returns the path of its link below the console */
export async function invite({ run }: Called, by: Visitor, body: object): Promise<string> {
  const made = await by.post("/api/invitations", body);
  assert.equal(made.status, 201, made.text);
  const { url } = made.json() as { url: string };
  assert.ok(url.startsWith(`${run.console_url}/invitations/`));
  return url.slice(run.console_url.length);
}

/** Invites a person and accepts the invitation. @returns them, signed in */
export async function enrol(fleet: Called, by: Visitor, assignment: Assignment): Promise<Visitor> {
  const link = await invite(fleet, by, assignment);
  const person = new Visitor(fleet.run.console_url);
  const accepted = await person.post(`/api${link}/accept`, { name: assignment.role, password });
  assert.equal(accepted.status, 201, accepted.text);
  person.csrf = accepted.json().csrf_token;
  return person;
}

/** The user's id by their address, as a manager sees it. */
export async function userIdOf(manager: Visitor, email: string): Promise<string> {
  const { data } = (await manager.get("/api/users?limit=1000")).json() as { data: { id: string; email: string }[] };
  const found = data.find((user) => user.email === email);
  assert.ok(found, email);
  return found.id;
}
