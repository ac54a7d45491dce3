/** A tenant's contacts (decisions 11). */

import type { Clock } from "../../core/clock.ts";
import type { Database, Queries } from "../../core/database.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import type { Quotas } from "../billing/quotas.ts";
import { isYetToCome } from "./birthday.ts";
import type { ContactFields, NewContact } from "./contact-schema.ts";
import type { DoNotCallList } from "./do-not-call.ts";

export interface ContactRecord extends ContactFields {
  readonly id: number;
  /** Argon2id; null: no PIN. Never leaves the appliance. */
  readonly pinHash: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface ContactQuery {
  /** Text to find in the number, or in first and last name. */
  readonly search: string | null;
  readonly limit: number;
  readonly offset: number;
}

/** Implemented by store/contact/contact-store.ts. */
export interface ContactRecords {
  list(tenantId: number, page: { limit: number; offset: number }): Promise<ContactRecord[]>;
  /** In the order of the list. */
  withIds(tenantId: number, ids: readonly number[]): Promise<ContactRecord[]>;
  count(tenantId: number): Promise<number>;
  find(tenantId: number, id: number): Promise<ContactRecord | undefined>;
  /** At most `limit`: several people may share a number. */
  byNumber(tenantId: number, numberE164: string, limit: number): Promise<ContactRecord[]>;
  /** Contacts of all these numbers, at most 50 per number on average. */
  byNumbers(tenantId: number, numbersE164: readonly string[]): Promise<ContactRecord[]>;
  /** The next contacts after `id`, to iterate over all. */
  after(tenantId: number, id: number, limit: number): Promise<ContactRecord[]>;
  insert(tenantId: number, contact: Omit<ContactRecord, "id">): Promise<ContactRecord>;
  insertMany(tenantId: number, contacts: readonly Omit<ContactRecord, "id">[]): Promise<void>;
  update(
    tenantId: number,
    id: number,
    changes: Partial<Omit<ContactRecord, "id" | "createdAt">>,
  ): Promise<ContactRecord | undefined>;
  remove(tenantId: number, id: number): Promise<boolean>;
  /** Sets "do not call" on all contacts of the number. Returns how many changed. */
  setDoNotCall(tenantId: number, numberE164: string, nowMs: number): Promise<number>;
}

/** Implemented by store/contact/contact-search-store.ts. */
export interface ContactSearch {
  /**
   * Ids of contacts whose number or name contains the text, ignoring case and accents, in the order of the
   * list.
   */
  find(tenantId: number, text: string): Promise<readonly number[]>;
}

export interface ContactsDependencies {
  readonly database: Database;
  readonly records: (queries: Queries) => ContactRecords;
  readonly doNotCallList: DoNotCallList;
  readonly quotas: Quotas;
  readonly clock: Clock;
}

/** Argon2id of a telephone PIN. The cost is small because only few attempts are allowed. */
const PIN_HASH = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export class Contacts {
  constructor(protected readonly deps: ContactsDependencies & { readonly search: ContactSearch }) {}

  async list(tenantId: number, { search, limit, offset }: ContactQuery) {
    const store = this.deps.records(this.deps.database.read);
    if (search !== null) {
      const ids = await this.deps.search.find(tenantId, search);
      const shown = ids.slice(offset, offset + limit);
      return { contacts: await store.withIds(tenantId, shown), total: ids.length };
    }
    const contacts = await store.list(tenantId, { limit, offset });
    return { contacts, total: await store.count(tenantId) };
  }

  /** Throws not_found. */
  async get(tenantId: number, id: number): Promise<ContactRecord> {
    const contact = await this.deps.records(this.deps.database.read).find(tenantId, id);
    if (!contact) throw notFound("contact");
    return contact;
  }

  /** A number on the do-not-call list stays there. Throws plan_limit_reached, valid_birthday_required. */
  async create(tenantId: number, { pin, ...fields }: NewContact): Promise<ContactRecord> {
    const { database, records, doNotCallList, quotas, clock } = this.deps;
    requirePast(fields.birthday, clock.now());
    const pinHash = await pinHashOf(pin);
    const nowMs = clock.now();
    return database.tx(async (queries) => {
      await quotas.require(queries, tenantId, "contacts", 1);
      const doNotCall =
        fields.doNotCall || (await doNotCallList.has(queries, tenantId, fields.numberE164));
      const contact = { ...fields, doNotCall, pinHash, createdAt: nowMs, updatedAt: nowMs };
      const made = await records(queries).insert(tenantId, contact);
      if (doNotCall) await doNotCallList.note(queries, tenantId, [made.numberE164]);
      return made;
    });
  }

  /** A PIN of null deletes it; undefined keeps it. Throws not_found, valid_birthday_required. */
  async update(
    tenantId: number,
    id: number,
    { pin, ...changes }: Partial<NewContact>,
  ): Promise<ContactRecord> {
    const { database, records, doNotCallList, clock } = this.deps;
    requirePast(changes.birthday ?? null, clock.now());
    const pinHash = pin === undefined ? {} : { pinHash: await pinHashOf(pin) };
    return database.tx(async (queries) => {
      const before = await records(queries).find(tenantId, id);
      const changed = { ...changes, ...pinHash, updatedAt: clock.now() };
      const updated = await records(queries).update(tenantId, id, changed);
      if (!before || !updated) throw notFound("contact");
      if (before.doNotCall && !updated.doNotCall)
        await doNotCallList.remove(queries, tenantId, updated.numberE164);
      if (!before.doNotCall && updated.doNotCall)
        await doNotCallList.note(queries, tenantId, [updated.numberE164]);
      return updated;
    });
  }

  /** The number stays on the do-not-call list. Throws not_found. */
  async remove(tenantId: number, id: number): Promise<void> {
    const { database, records, doNotCallList, clock } = this.deps;
    await database.tx(async (queries) => {
      const contact = await records(queries).find(tenantId, id);
      if (!contact || !(await records(queries).remove(tenantId, id))) throw notFound("contact");
      if (contact.doNotCall)
        await doNotCallList.add(queries, tenantId, contact.numberE164, clock.now());
    });
  }
}

function requirePast(birthday: string | null, nowMs: number): void {
  if (birthday !== null && isYetToCome(birthday, nowMs))
    throw invalidField("birthday", "`birthday` must not be in the future.", {
      reason: "birthday_to_come",
    });
}

const pinHashOf = async (pin: string | null): Promise<string | null> =>
  pin === null ? null : await Bun.password.hash(pin, PIN_HASH);

/** "Jonas Petraitis"; empty if no name is known. */
export const fullName = ({ firstName, lastName }: Pick<ContactFields, "firstName" | "lastName">) =>
  [firstName, lastName].filter(Boolean).join(" ");
