/** What every part of this room is built from. */
import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import type { Log } from "../../core/log.ts";
import type { Random } from "../../core/random.ts";
import type { Revocation } from "../../core/revocation.ts";
import type { MailQueue } from "../mail/ports.ts";
import type { IdentityStore, IdentityStores } from "./stores.ts";

interface IdentityVault {
  /** `binding` is the row and column. */
  seal(plain: string, binding: string): string;
  /** Throws for what was sealed elsewhere. */
  open(sealed: string, binding: string): string;
  /** Until the purposes' root is replaced: ask at each use. */
  deriveKey(purpose: string): Uint8Array;
  /** The same for ever. */
  lastingKey(purpose: string): Uint8Array;
}

export interface IdentityDependencies {
  readonly database: Database;
  readonly stores: IdentityStores;
  readonly vault: IdentityVault;
  /** null: no mail leaves from here (the command line beside a server that is down). */
  readonly mails: Pick<MailQueue, "enqueue" | "wake"> | null;
  /** Where people reach the dashboard, without a trailing slash. Ask when it is needed. */
  readonly publicUrl: () => string;
  /** Makes a tenant for the first owner, in a transaction of the caller's; answers its id. */
  readonly createTenant: (
    queries: Queries,
    draft: { readonly name: string; readonly email: string },
  ) => Promise<number>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Where a request comes from. */
export interface Source {
  readonly ip: string;
  readonly userAgent: string;
}

/** The stores of this room in a transaction. */
export interface IdentityChange extends IdentityStore {
  /** Notes what no restore may bring back: last in its transaction. */
  revoked(revocations: readonly Revocation[]): Promise<void>;
}

/** One transaction over the stores of this room. */
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
