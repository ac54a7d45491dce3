/** Contacts: rows of `contacts`. */
import { and, asc, count, eq, gt, or, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { ContactRecord, ContactRecords } from "../contact/contacts.ts";
import type { Queries } from "./database.ts";
import { contacts } from "./schema/index.ts";

const COLUMNS = {
  id: contacts.id,
  numberE164: contacts.numberE164,
  firstName: contacts.firstName,
  lastName: contacts.lastName,
  vocative: contacts.vocative,
  birthday: contacts.birthday,
  language: contacts.language,
  notes: contacts.notes,
  consent: contacts.consent,
  doNotCall: contacts.doNotCall,
  pinHash: contacts.pinHash,
  createdAt: contacts.createdAt,
  updatedAt: contacts.updatedAt,
};

export function contactStore(queries: Queries): ContactRecords {
  const own = (tenantId: number, id: number) =>
    and(eq(contacts.id, id), eq(contacts.tenantId, tenantId));

  function matching(tenantId: number, search: string | null) {
    const ofTenant = eq(contacts.tenantId, tenantId);
    if (search === null) return ofTenant;
    const pattern = `%${search.replace(/[\\%_]/g, "\\$&")}%`;
    const inColumn = (column: SQLiteColumn) => sql`${column} LIKE ${pattern} ESCAPE '\\'`;
    const [number, first, last] = [contacts.numberE164, contacts.firstName, contacts.lastName];
    return and(ofTenant, or(inColumn(number), inColumn(first), inColumn(last)));
  }

  return {
    async list(tenantId, { search, limit, offset }) {
      return await queries
        .select(COLUMNS)
        .from(contacts)
        .where(matching(tenantId, search))
        .orderBy(asc(contacts.lastName), asc(contacts.firstName), asc(contacts.id))
        .limit(limit)
        .offset(offset);
    },

    async count(tenantId, search) {
      const row = await queries
        .select({ n: count() })
        .from(contacts)
        .where(matching(tenantId, search))
        .get();
      return row?.n ?? 0;
    },

    async find(tenantId, id): Promise<ContactRecord | undefined> {
      return await queries.select(COLUMNS).from(contacts).where(own(tenantId, id)).get();
    },

    async byNumber(tenantId, numberE164, limit) {
      return await queries
        .select(COLUMNS)
        .from(contacts)
        .where(and(eq(contacts.tenantId, tenantId), eq(contacts.numberE164, numberE164)))
        .orderBy(asc(contacts.id))
        .limit(limit);
    },

    async after(tenantId, id, limit) {
      return await queries
        .select(COLUMNS)
        .from(contacts)
        .where(and(eq(contacts.tenantId, tenantId), gt(contacts.id, id)))
        .orderBy(asc(contacts.id))
        .limit(limit);
    },

    async insert(tenantId, contact) {
      const [row] = await queries
        .insert(contacts)
        .values({ ...contact, tenantId })
        .returning(COLUMNS);
      if (!row) throw new Error("insert answered no row");
      return row;
    },

    async update(tenantId, id, changes) {
      const [row] = await queries
        .update(contacts)
        .set(changes)
        .where(own(tenantId, id))
        .returning(COLUMNS);
      return row;
    },

    async remove(tenantId, id) {
      const rows = await queries
        .delete(contacts)
        .where(own(tenantId, id))
        .returning({ id: contacts.id });
      return rows.length > 0;
    },

    async setDoNotCall(tenantId, numberE164, nowMs) {
      const rows = await queries
        .update(contacts)
        .set({ doNotCall: true, updatedAt: nowMs })
        .where(and(eq(contacts.tenantId, tenantId), eq(contacts.numberE164, numberE164)))
        .returning({ id: contacts.id });
      return rows.length;
    },
  };
}
