/** Rows that belong to a tenant: the common part of the resource stores. Every condition includes the tenant. */
import { and, asc, count, eq, type GetColumnData, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Queries } from "../../core/database.ts";
import { arg, statement } from "./prepared.ts";

type OwnedTable = SQLiteTable & {
  readonly id: SQLiteColumn;
  readonly tenantId: SQLiteColumn;
};
type Columns = Readonly<Record<string, SQLiteColumn>>;
type Row<Shown extends Columns> = { [Name in keyof Shown]: GetColumnData<Shown[Name]> };
type Values<Table extends OwnedTable> = Table["$inferInsert"];

export const ownedBy = (table: OwnedTable, tenantId: number, id: number): SQL | undefined =>
  and(eq(table.id, id), eq(table.tenantId, tenantId));

const madeReads = new WeakMap<Columns, ReturnType<typeof makeReads>>();

function readsOf(table: OwnedTable, columns: Columns) {
  const reads = madeReads.get(columns) ?? makeReads(table, columns);
  madeReads.set(columns, reads);
  return reads;
}

function makeReads(table: OwnedTable, columns: Columns) {
  const isTenants = eq(table.tenantId, arg("tenantId"));
  return {
    list: statement((queries) =>
      queries.select(columns).from(table).where(isTenants).orderBy(asc(table.id)).prepare(),
    ),
    find: statement((queries) =>
      queries
        .select(columns)
        .from(table)
        .where(and(eq(table.id, arg("id")), isTenants))
        .prepare(),
    ),
    count: statement((queries) =>
      queries.select({ n: count() }).from(table).where(isTenants).prepare(),
    ),
  };
}

/** `columns`: those of a record, without secrets and the tenant; a constant of its store. */
export function ownedRows<Table extends OwnedTable, Shown extends Columns>(
  queries: Queries,
  table: Table,
  columns: Shown,
) {
  const reads = readsOf(table, columns);
  return {
    async list(tenantId: number): Promise<Row<Shown>[]> {
      return (await reads.list(queries).all({ tenantId })) as Row<Shown>[];
    },

    async find(tenantId: number, id: number): Promise<Row<Shown> | undefined> {
      return (await reads.find(queries).get({ tenantId, id })) as Row<Shown> | undefined;
    },

    async count(tenantId: number): Promise<number> {
      const row = await reads.count(queries).get({ tenantId });
      return row?.n ?? 0;
    },

    async insert(values: Values<Table>): Promise<Row<Shown>> {
      const inserted = queries.insert<OwnedTable>(table).values(values).returning(columns);
      const [row] = (await inserted) as Row<Shown>[];
      if (!row) throw new Error("insert answered no row");
      return row;
    },

    async update(
      tenantId: number,
      id: number,
      changes: Partial<Values<Table>>,
    ): Promise<Row<Shown> | undefined> {
      const updated = queries
        .update<OwnedTable>(table)
        .set(changes)
        .where(ownedBy(table, tenantId, id))
        .returning(columns);
      const [row] = (await updated) as Row<Shown>[];
      return row;
    },

    async remove(tenantId: number, id: number): Promise<boolean> {
      const rows = await queries
        .delete<OwnedTable>(table)
        .where(ownedBy(table, tenantId, id))
        .returning({ id: table.id });
      return rows.length > 0;
    },
  };
}
