/**
 * Reads the rows of a flat selection quickly. Drizzle decides for every field of every row how to read it. On
 * a page of 25 rows that costs as much as SQLite's work. Here it is decided once.
 */
import { Column, type GetColumnData } from "drizzle-orm";

/** A selection of columns, without tables or expressions. */
type FlatSelection = Readonly<Record<string, Column>>;

type FlatRow<Selection extends FlatSelection> = {
  -readonly [Name in keyof Selection]: GetColumnData<Selection[Name]>;
};

/** Returns a reader for the result of `values` of a statement with this selection. */
export function flatRowReader<Selection extends FlatSelection>(selection: Selection) {
  const columns = Object.entries<Column>(selection).map(([name, column]) => {
    const isAsStored = column.mapFromDriverValue === Column.prototype.mapFromDriverValue;
    return { name, read: isAsStored ? null : (raw: unknown) => column.mapFromDriverValue(raw) };
  });
  return (values: readonly (readonly unknown[])[]): FlatRow<Selection>[] =>
    values.map((value) => {
      const row: Record<string, unknown> = {};
      let index = 0;
      for (const { name, read } of columns) {
        const raw = value[index++] ?? null;
        row[name] = raw === null || read === null ? raw : read(raw);
      }
      return row as FlatRow<Selection>;
    });
}
