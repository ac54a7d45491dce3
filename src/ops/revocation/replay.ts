/**
 * Applies missing journal entries to a restored database: repeats revocations, erasures and do-not-call
 * requests made after the backup. It also completes work that a crash interrupted between the journal and the
 * database. Idempotent.
 *
 * Secrets that cannot be restored become invalid. A later changed password is removed until a new one is set.
 * A later changed signing secret is replaced by an unknown one until it is rotated.
 */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { signingSecret } from "../../core/ids.ts";
import type { Random } from "../../core/random.ts";
import type { Revocation } from "../../core/revocation.ts";
import { credentialHash } from "../../features/identity/fingerprint.ts";
import { tenantStore } from "../../features/tenant/tenant-store.ts";
import {
  tenantSecretBinding,
  webhookSecretBinding,
} from "../../platform/secrets/secret-binding.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { revocationStore } from "./revocation-store.ts";

const SECRET_PREFIX_LENGTH = 8;

/** Keyed fingerprint of a person's number, per tenant. */
type Fingerprint = (tenantId: number, numberE164: string) => string;

interface ReplayDependencies {
  readonly database: Database;
  readonly vault: { seal(plain: string, binding: string): string };
  readonly numberFingerprint: Fingerprint;
  readonly userFingerprint: (email: string) => string;
  /** Erases a tenant's data about a number without writing to the journal. */
  readonly erase: (tenantId: number, numberE164: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Number of repeated entries per kind. */
export type Replayed = Partial<Record<Revocation["kind"], number>>;

type Entry<Kind extends Revocation["kind"]> = JournalEntry & { readonly kind: Kind };

/** Replays everything after `position`, then stores the new position. */
export async function replay(
  deps: ReplayDependencies,
  journal: Journal,
  position: number,
): Promise<Replayed> {
  const entries = journal.after(position);
  const of = <Kind extends Revocation["kind"]>(kind: Kind) =>
    entries.filter((entry): entry is Entry<Kind> => entry.kind === kind);
  const numbers = await numbersByFingerprint(deps, [...of("erased"), ...of("refusal")]);
  for (const { tenant, person } of of("erased"))
    for (const number of numbers.get(person) ?? []) await deps.erase(tenant, number);
  await deps.database.tx(async (queries) => {
    await keys(deps, queries, of("key"), of("passkey"));
    await secrets(deps, queries, of);
    await people(deps, queries, of);
    const store = revocationStore(queries);
    for (const { tenant, person, kept } of of("refusal"))
      if (!(await store.hasTenant(tenant))) continue;
      else if (kept) await store.addDoNotCall(tenant, person, deps.clock.now());
      else await store.liftDoNotCall(tenant, person, numbers.get(person) ?? []);
    for (const { tenant, on } of of("suspended")) await store.setSuspended(tenant, on);
    await store.setPosition(journal.id, journal.last());
  });
  const counts: Replayed = {};
  for (const { kind } of entries) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Numbers of the fingerprints, if they are still in the database. */
async function numbersByFingerprint(
  { database, numberFingerprint }: ReplayDependencies,
  entries: readonly (Entry<"erased"> | Entry<"refusal">)[],
): Promise<Map<string, string[]>> {
  const asked = new Set(entries.map(({ person }) => person));
  const found = new Map<string, string[]>();
  for (const tenant of new Set(entries.map((entry) => entry.tenant)))
    for (const number of await revocationStore(database.read).numbersOf(tenant)) {
      const person = numberFingerprint(tenant, number);
      if (asked.has(person)) found.set(person, [...(found.get(person) ?? []), number]);
    }
  return found;
}

async function keys(
  { clock }: ReplayDependencies,
  queries: Queries,
  revoked: readonly Entry<"key">[],
  lost: readonly Entry<"passkey">[],
): Promise<void> {
  const store = revocationStore(queries);
  for (const { hash } of revoked) await store.revokeKey(hash, clock.now());
  if (lost.length === 0) return;
  const gone = new Set(lost.map(({ credential }) => credential));
  for (const { id, credentialId } of await store.passkeys())
    if (gone.has(credentialHash(credentialId))) await store.removePasskey(id);
}

type EntriesOf = <Kind extends Revocation["kind"]>(kind: Kind) => readonly Entry<Kind>[];

async function secrets(
  { vault, random }: ReplayDependencies,
  queries: Queries,
  of: EntriesOf,
): Promise<void> {
  const store = revocationStore(queries);
  for (const { tenant, webhook } of of("webhook_secret")) {
    const sealed = vault.seal(signingSecret(random), webhookSecretBinding(webhook));
    await store.setWebhookSecret(tenant, webhook, sealed);
  }
  for (const { tenant, webhook } of of("webhook"))
    await store.switchWebhookOff(tenant, webhook, "It was deleted after the backup was made.");
  for (const { tenant } of of("tenant_secret")) {
    const secret = signingSecret(random);
    const sealed = vault.seal(secret, tenantSecretBinding(tenant));
    const prefix = secret.slice(0, SECRET_PREFIX_LENGTH);
    await tenantStore(queries).setWebhookSecret(tenant, sealed, prefix);
  }
}

async function people(
  { userFingerprint, clock }: ReplayDependencies,
  queries: Queries,
  of: EntriesOf,
): Promise<void> {
  const store = revocationStore(queries);
  for (const { hash } of of("recovery_code")) await store.spendRecoveryCode(hash, clock.now());
  const [passwords, factors, members] = [of("password"), of("second_factor"), of("member")];
  if (passwords.length + factors.length + members.length === 0) return;
  const ids = new Map(
    (await store.users()).map(({ id, email }) => [userFingerprint(email), id] as const),
  );
  const known = (user: string, act: (userId: number) => Promise<void>) => {
    const id = ids.get(user);
    return id === undefined ? undefined : act(id);
  };
  for (const { user } of passwords) await known(user, store.forgetPassword);
  for (const { user } of factors) await known(user, store.forgetSecondFactor);
  for (const { user, tenant, role } of members)
    await known(user, (userId) => store.limitMember(tenant, userId, role));
}
