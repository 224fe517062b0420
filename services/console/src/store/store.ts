import type { Connection, Model } from "mongoose";
import { type DeviceDocument, deviceModel } from "./devices.ts";
import { type InvitationDocument, invitationModel } from "./invitations.ts";
import { type PasswordResetDocument, passwordResetModel } from "./password-resets.ts";
import { type SessionDocument, sessionModel } from "./sessions.ts";
import { type SignInTriesDocument, signInTriesModel } from "./sign-in-tries.ts";
import { type UserDocument, userModel } from "./users.ts";

/** The console's collections. */
export interface Store {
  readonly users: Model<UserDocument>;
  readonly sessions: Model<SessionDocument>;
  readonly devices: Model<DeviceDocument>;
  readonly invitations: Model<InvitationDocument>;
  readonly passwordResets: Model<PasswordResetDocument>;
  readonly signInTries: Model<SignInTriesDocument>;
}

/** Opens the collections; creates them and their indexes if they do not exist. */
export async function openStore(connection: Connection): Promise<Store> {
  const models = {
    users: userModel(connection),
    sessions: sessionModel(connection),
    devices: deviceModel(connection),
    invitations: invitationModel(connection),
    passwordResets: passwordResetModel(connection),
    signInTries: signInTriesModel(connection),
  };
  for (const model of Object.values(models) as Pick<Model<unknown>, "createCollection" | "createIndexes">[]) {
    await model.createCollection();
    await model.createIndexes();
  }
  return models;
}
