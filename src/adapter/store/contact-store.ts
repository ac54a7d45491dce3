/** Contacts: rows of `contacts`. */
import { and, asc, eq, getTableColumns, gt, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../core/database.ts";
import type { ContactRecords } from "../../domain/contact/contacts.ts";
import { ownedRows } from "./owned-rows.ts";
import { arg, rowStatement, statement } from "./prepared.ts";
import { contacts } from "./schema/index.ts";

const SAME_NUMBER_MAX = 50;

const { tenantId, ...COLUMNS } = getTableColumns(contacts);

/** Only such a text can stand in a number. */
const OF_NUMBER = /^\+?\d*$/;

const patternOf = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

const ofTenant = (tenantId: number) => eq(contacts.tenantId, tenantId);
const IN_ORDER = [asc(contacts.lastName), asc(contacts.firstName), asc(contacts.id)];

export function contactStore(queries: Queries): ContactRecords {
  const rows = ownedRows(queries, contacts, COLUMNS);
  return {
    ...contactLists(queries),
    ...contactsByNumber(queries),
    count: rows.count,
    find: rows.find,
    insert: (tenantId, contact) => rows.insert({ ...contact, tenantId }),
    update: rows.update,
    remove: rows.remove,

    async insertMany(tenantId, many) {
      if (many.length === 0) return;
      await queries.insert(contacts).values(many.map((contact) => ({ ...contact, tenantId })));
    },
  };
}

interface Piece {
  readonly tenantId: number;
  readonly rows: number;
  /** Of the contact before it; undefined: it is the first. */
  readonly id?: number;
  readonly lastName?: string;
  readonly firstName?: string;
}

interface Match extends Piece {
  readonly pattern: string;
  /** Whether numbers are looked at. Without them all is read from the index of the list. */
  readonly number?: true;
}

function piece(queries: Queries, { tenantId, rows, id, lastName, firstName }: Piece, number: SQL) {
  const place = sql`(${contacts.lastName}, ${contacts.firstName}, ${contacts.id})`;
  return queries
    .select({
      ...{ id: contacts.id, lastName: contacts.lastName, firstName: contacts.firstName },
      number: number.as("number"),
    })
    .from(contacts)
    .where(
      and(
        ofTenant(tenantId),
        id === undefined ? undefined : sql`${place} > (${lastName}, ${firstName}, ${id})`,
      ),
    )
    .orderBy(...IN_ORDER)
    .limit(rows)
    .as("piece");
}

const matchesIn = rowStatement((queries, { pattern, number, ...row }: Match) => {
  const searched = piece(queries, row, number ? sql`${contacts.numberE164}` : sql`''`);
  const holds = [searched.number, searched.firstName, searched.lastName].map(
    (column) => sql`${column} LIKE ${pattern} ESCAPE '\\'`,
  );
  return queries
    .select({ id: searched.id })
    .from(searched)
    .where(or(...holds))
    .prepare();
});

const lastOf = rowStatement((queries, row: Piece) => {
  const searched = piece(queries, row, sql`''`);
  const { id, lastName, firstName } = searched;
  return queries
    .select({ id, lastName, firstName })
    .from(searched)
    .limit(1)
    .offset(arg("skipped"))
    .prepare();
});

const contactLists = (
  queries: Queries,
): Pick<ContactRecords, "list" | "search" | "withIds" | "after"> => ({
  async list(tenantId, { limit, offset }) {
    return await queries
      .select(COLUMNS)
      .from(contacts)
      .where(ofTenant(tenantId))
      .orderBy(...IN_ORDER)
      .limit(limit)
      .offset(offset);
  },

  async search(tenantId, text, after, rows) {
    const { id, lastName, firstName } = after ?? {};
    const piece = { tenantId, rows, id, lastName, firstName };
    const match = { ...piece, pattern: patternOf(text), number: OF_NUMBER.test(text) || undefined };
    const [found, last] = await Promise.all([
      matchesIn(queries, match).values({ ...match }),
      lastOf(queries, piece).get({ ...piece, skipped: rows - 1 }),
    ]);
    return { ids: found.map(([contactId]) => Number(contactId)), last: last ?? null };
  },

  async withIds(tenantId, ids) {
    if (ids.length === 0) return [];
    return await queries
      .select(COLUMNS)
      .from(contacts)
      .where(and(ofTenant(tenantId), inArray(contacts.id, [...ids])))
      .orderBy(...IN_ORDER);
  },

  async after(tenantId, id, limit) {
    return await queries
      .select(COLUMNS)
      .from(contacts)
      .where(and(eq(contacts.tenantId, tenantId), gt(contacts.id, id)))
      .orderBy(asc(contacts.id))
      .limit(limit);
  },
});

const contactsWithNumber = statement((queries) =>
  queries
    .select(COLUMNS)
    .from(contacts)
    .where(and(eq(contacts.tenantId, arg("tenantId")), eq(contacts.numberE164, arg("numberE164"))))
    .orderBy(asc(contacts.id))
    .limit(arg("limit"))
    .prepare(),
);

const contactsWithNumbers = statement((queries) =>
  queries
    .select(COLUMNS)
    .from(contacts)
    .where(
      and(
        eq(contacts.tenantId, arg("tenantId")),
        inArray(contacts.numberE164, sql`(SELECT value FROM json_each(${arg("numbers")}))`),
      ),
    )
    .orderBy(asc(contacts.id))
    .limit(arg("limit"))
    .prepare(),
);

const contactsByNumber = (
  queries: Queries,
): Pick<ContactRecords, "byNumber" | "byNumbers" | "setDoNotCall"> => ({
  async byNumber(tenantId, numberE164, limit) {
    return await contactsWithNumber(queries).all({ tenantId, numberE164, limit });
  },

  async byNumbers(tenantId, numbersE164) {
    return await contactsWithNumbers(queries).all({
      ...{ tenantId, numbers: JSON.stringify(numbersE164) },
      limit: numbersE164.length * SAME_NUMBER_MAX,
    });
  },

  async setDoNotCall(tenantId, numberE164, nowMs) {
    const rows = await queries
      .update(contacts)
      .set({ doNotCall: true, updatedAt: nowMs })
      .where(and(eq(contacts.tenantId, tenantId), eq(contacts.numberE164, numberE164)))
      .returning({ id: contacts.id });
    return rows.length;
  },
});
