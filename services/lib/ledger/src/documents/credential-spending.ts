import { type Connection, type Model, Schema } from "mongoose";

/** What requests of one holder that began on one day spend with one of a provider's credentials. */
export interface CredentialSpendingDocument {
  /** `<provider>/<credential>/<day>/<holder>`. */
  readonly _id: string;
  readonly provider: string;
  readonly credentialId: string;
  /** UTC, as `2027-01-31`. */
  readonly day: string;
  /** Empty for tasks, which any process may settle. */
  readonly holderId: string;
  /** By the ledger's rows, nano-USD. */
  readonly spent: bigint;
  /** The most that the holder may spend, nano-USD; 0 once nothing of it is left to settle. */
  readonly leased: bigint;
  /** Of the last lease. */
  readonly sequence: bigint;
  readonly at: Date;
}

/** Longer than a month, whose cap needs all of its days. */
const keptSeconds = 40 * 86_400;

const text = { type: String, required: true } as const;
const amount = { type: Schema.Types.BigInt, required: true, default: 0n } as const;

const schema = new Schema<CredentialSpendingDocument>(
  {
    _id: text,
    provider: text,
    credentialId: text,
    day: text,
    holderId: { type: String, default: "" },
    spent: amount,
    leased: amount,
    sequence: amount,
    at: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ provider: 1, credentialId: 1, day: 1 });
schema.index({ day: 1 });
schema.index({ holderId: 1 });
schema.index({ at: 1 }, { expireAfterSeconds: keptSeconds });

export function credentialSpendingModel(connection: Connection): Model<CredentialSpendingDocument> {
  return connection.model<CredentialSpendingDocument>("CredentialSpending", schema, "credential_spending");
}

/** Counts the leases of one credential, so that no two of them see the same remainder. */
export interface CredentialLeasesDocument {
  /** `<provider>/<credential>`. */
  readonly _id: string;
  readonly leases: number;
}

const head = new Schema<CredentialLeasesDocument>(
  { _id: text, leases: { type: Number, required: true } },
  { strict: "throw", versionKey: false },
);

export function credentialLeasesModel(connection: Connection): Model<CredentialLeasesDocument> {
  return connection.model<CredentialLeasesDocument>("CredentialLeases", head, "credential_leases");
}
