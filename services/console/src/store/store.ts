import type { Connection, Model } from "mongoose";
import { type InvitationDocument, invitationModel } from "./invitations.ts";
import { type SessionDocument, sessionModel } from "./sessions.ts";
import { type SignInTriesDocument, signInTriesModel } from "./sign-in-tries.ts";
import { deviceModel, passwordResetModel, type UserTokenDocument } from "./user-tokens.ts";
import { type UserDocument, userModel } from "./users.ts";

/** The console's collections. */
export interface Store {
  readonly users: Model<UserDocument>;
  readonly sessions: Model<SessionDocument>;
  readonly devices: Model<UserTokenDocument>;
  readonly invitations: Model<InvitationDocument>;
  readonly passwordResets: Model<UserTokenDocument>;
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
