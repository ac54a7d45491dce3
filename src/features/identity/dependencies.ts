/** Dependencies of all parts of the identity domain. */
import type { Clock, ClockTrust } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Revocation } from "../../core/revocation.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import type { IdentityStore, IdentityStores } from "./stores.ts";

interface IdentityVault {
  /** `binding`: the row and column. */
  seal(plain: string, binding: string): string;
  /** Throws for a value with another binding. */
  open(sealed: string, binding: string): string;
  /** Do not store the result: it changes when the purpose root is replaced. */
  deriveKey(purpose: string): Uint8Array;
  /** Never changes. */
  lastingKey(purpose: string): Uint8Array;
}

export interface IdentityDependencies {
  readonly database: Database;
  readonly stores: IdentityStores;
  readonly vault: IdentityVault;
  /** Null if no email can be sent (the command line while the server is down). */
  readonly mails: Pick<MailQueue, "enqueue" | "wake"> | null;
  /** The URL of the dashboard, without a trailing slash. Call it when needed. */
  readonly publicUrl: () => string;
  /** Creates a tenant for the first owner, in the caller's transaction. Returns its id. */
  readonly createTenant: (
    queries: Queries,
    draft: { readonly name: string; readonly email: string },
  ) => Promise<number>;
  readonly clock: Clock;
  readonly trust?: Pick<ClockTrust, "mayDelete">;
  readonly random: Random;
  readonly log: Log;
}

/** The origin of a request. */
export interface Source {
  readonly ip: string;
  readonly userAgent: string;
}

/** The identity stores within a transaction. */
export interface IdentityChange extends IdentityStore {
  /** Records revocations that a restore must keep. Call it last in the transaction. */
  revoked(revocations: readonly Revocation[]): Promise<void>;
}

/** Runs one transaction over the identity stores. */
export const transaction = <Result>(
  { database, stores }: Pick<IdentityDependencies, "database" | "stores">,
  body: (store: IdentityChange) => Promise<Result>,
): Promise<Result> =>
  database.tx((queries) =>
    body({
      ...stores(queries),
      revoked: (revocations) => database.revocations.note(queries, revocations),
    }),
  );
