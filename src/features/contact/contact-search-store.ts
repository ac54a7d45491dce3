/**
 * Finds contacts by a part of their name or number. The contacts of a tenant are cached as one folded text
 * until one changes. Triggers count the changes of all nodes (migration 0020).
 *
 * Reading 20,000 contacts takes some milliseconds, split into pieces. Searching the text takes a fraction of
 * a millisecond.
 */
import { type SQL, sql } from "drizzle-orm";
import { BoundedMap } from "../../core/bounded-map.ts";
import { yieldToEventLoop } from "../../core/clock.ts";
import type { Queries } from "../../core/database.ts";
import { folded } from "../../core/search-words.ts";
import type { ContactSearch } from "./contacts.ts";

const CONTACTS_AT_ONCE = 4_000;
/** Maximum number of cached tenants, and of characters per tenant. */
const TEXTS_KEPT_MAX = 16;
const LETTERS_KEPT_MAX = 2_000_000;

/** Only such a text can occur in a number. */
const OF_NUMBER = /^\+?\d*$/;

const NAMES = sql`first_name || ' ' || last_name`;
const NAMES_AND_NUMBERS = sql`${NAMES} || char(9) || number_e164`;

export function contactSearch(queries: Queries): ContactSearch & {
  /** Ids of contacts whose names contain the text. */
  named(tenantId: number, text: string): Promise<number[]>;
} {
  const names = keptTexts(queries, NAMES);
  const all = keptTexts(queries, NAMES_AND_NUMBERS);
  return {
    named: async (tenantId, text) => linesWith(await names(tenantId), folded(text)),
    find: async (tenantId, text) =>
      linesWith(await (OF_NUMBER.test(text) ? all : names)(tenantId), folded(text)),
  };
}

/** One line per contact, in the order of the list: `ID:TEXT`. */
function keptTexts(queries: Queries, text: SQL) {
  const kept = new BoundedMap<number, { readonly changes: number; readonly lines: string }>(
    TEXTS_KEPT_MAX,
  );
  return async (tenantId: number): Promise<string> => {
    const changes = await changesOf(queries, tenantId);
    const known = kept.get(tenantId);
    if (known?.changes === changes) return known.lines;
    const lines = await linesOf(queries, tenantId, text);
    if (lines.length <= LETTERS_KEPT_MAX) kept.set(tenantId, { changes, lines });
    else kept.delete(tenantId);
    return lines;
  };
}

/** Ids of the lines whose texts contain it. */
function linesWith(lines: string, wanted: string): number[] {
  const ids: number[] = [];
  for (let at = lines.indexOf(wanted); at >= 0; ) {
    const line = lines.lastIndexOf("\n", at) + 1;
    const text = lines.indexOf(":", line) + 1;
    if (at < text) {
      at = lines.indexOf(wanted, text);
      continue;
    }
    ids.push(Number(lines.slice(line, text - 1)));
    const next = lines.indexOf("\n", at);
    at = next < 0 ? -1 : lines.indexOf(wanted, next + 1);
  }
  return ids;
}

async function changesOf(queries: Queries, tenantId: number): Promise<number> {
  const [row] = await queries.all<{ changes: number }>(
    sql`SELECT changes FROM search_contact_changes WHERE tenant_id = ${tenantId}`,
  );
  return row?.changes ?? 0;
}

interface Place {
  readonly id: number;
  readonly lastName: string;
  readonly firstName: string;
}

async function linesOf(queries: Queries, tenantId: number, text: SQL): Promise<string> {
  const pieces: string[] = [];
  for (let last: Place | null = null; ; await yieldToEventLoop()) {
    const after = contactsAfter(tenantId, last);
    const [piece] = await queries.all<{ contacts: number; lines: string | null }>(
      sql`SELECT count(*) AS contacts, group_concat(line, char(10)) AS lines
        FROM (SELECT id || ':' || replace(${text}, char(10), ' ') AS line ${after} LIMIT ${CONTACTS_AT_ONCE})`,
    );
    if (piece?.lines) pieces.push(folded(piece.lines));
    if (!piece || piece.contacts < CONTACTS_AT_ONCE) return pieces.join("\n");
    const [next]: Place[] = await queries.all<Place>(
      sql`SELECT id, last_name AS "lastName", first_name AS "firstName" ${after}
        LIMIT 1 OFFSET ${CONTACTS_AT_ONCE - 1}`,
    );
    last = next ?? last;
  }
}

const contactsAfter = (tenantId: number, last: Place | null) =>
  sql`FROM contacts WHERE tenant_id = ${tenantId} ${
    last
      ? sql`AND (last_name, first_name, id) > (${last.lastName}, ${last.firstName}, ${last.id})`
      : sql``
  } ORDER BY last_name, first_name, id`;
