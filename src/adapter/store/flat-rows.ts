/**
 * Rows of a flat selection, read the short way: Drizzle finds out anew for every field of every row
 * how it is to be read, which on a page of 25 costs as much as SQLite's own work. Here it is found
 * out once.
 */
import type { Column, GetColumnData } from "drizzle-orm";

/** A selection of columns, without tables and expressions within. */
type FlatSelection = Readonly<Record<string, Column>>;

type FlatRow<Selection extends FlatSelection> = {
  -readonly [Name in keyof Selection]: GetColumnData<Selection[Name]>;
};

/** Reads what `values` of a statement with that selection answers. */
export function flatRowReader<Selection extends FlatSelection>(selection: Selection) {
  const columns = Object.entries<Column>(selection);
  return (values: readonly (readonly unknown[])[]): FlatRow<Selection>[] =>
    values.map((value) => {
      const row: Record<string, unknown> = {};
      for (let index = 0; index < columns.length; index++) {
        const [name, column] = columns[index] as [string, Column];
        const raw = value[index] ?? null;
        row[name] = raw === null ? null : column.mapFromDriverValue(raw);
      }
      return row as FlatRow<Selection>;
    });
}
