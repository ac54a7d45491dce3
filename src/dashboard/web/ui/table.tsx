/** A table that becomes a list of cards on a phone, and the pager below it. */
import type { ReactNode } from "react";
import { useText } from "../i18n/text.tsx";
import { Button } from "./button.tsx";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  readonly end?: boolean;
  /** Left out on a phone. */
  readonly wideOnly?: boolean;
}

export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** The first cell holds a link of class `cover`, which covers the whole row. */
  linked?: boolean;
  /** On a phone a row takes two lines: what its first cells say, then the rest without heads. */
  compact?: boolean;
  /** Key of the row that is shown beside the table. */
  chosen?: string | number | null;
}) {
  const { columns } = props;
  return (
    <div className="table-wrap">
      <table className={props.compact ? "table compact" : "table"}>
        <caption className="visually-hidden">{props.caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" className={column.end ? "end" : undefined}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr
              key={props.rowKey(row)}
              className={props.linked ? "link" : undefined}
              aria-current={props.rowKey(row) === props.chosen || undefined}
            >
              {columns.map((column) => (
                <td
                  key={column.head}
                  data-label={column.head}
                  className={
                    [column.end && "end", column.wideOnly && "phone-hide"]
                      .filter(Boolean)
                      .join(" ") || undefined
                  }
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Without `total`, a full page means that there may be another one. */
export function Pager(props: {
  offset: number;
  limit: number;
  shown: number;
  total?: number;
  /** False: `total` says only whether there are more. */
  counted?: boolean;
  onOffset: (offset: number) => void;
}) {
  const { t, number } = useText();
  const { offset, limit, shown, total, counted = true } = props;
  const last = offset + shown;
  const more = total === undefined ? shown === limit : last < total;
  if (offset === 0 && !more) return null;
  return (
    <div className="pager">
      <span className="small muted nums">
        {number(offset + 1)}–{number(last)}
        {total !== undefined && counted && ` / ${number(total)}`}
      </span>
      <span className="row">
        <Button
          small
          disabled={offset === 0}
          onClick={() => props.onOffset(Math.max(0, offset - limit))}
        >
          {t("pager.newer")}
        </Button>
        <Button small disabled={!more} onClick={() => props.onOffset(offset + limit)}>
          {t("pager.older")}
        </Button>
      </span>
    </div>
  );
}
