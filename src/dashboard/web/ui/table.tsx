/** A table, on a phone a list of two-line cards, and the pager below it. */
import { Fragment, type ReactNode, useSyncExternalStore } from "react";
import { useText } from "../i18n/text.tsx";
import { Button } from "./button.tsx";

/**
 * Place of a column on a card. First line: `title`, and `side` at its end. Second line: `line`;
 * `labelled` if a value needs its heading; `action` at its end, near the thumb. `block`: below
 * both, full width. `none`: hidden.
 */
type CardPlace = "title" | "side" | "line" | "labelled" | "action" | "block" | "none";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  readonly end?: boolean;
  /** Default: the first column is the title, any other is on the second line. */
  readonly card?: CardPlace;
}

interface TableProps<Row> {
  readonly caption: string;
  /** False: a column that this reader does not get, for example buttons. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** The first cell contains a link of class `cover`, which covers the whole row. */
  readonly linked?: boolean;
  /** Key of the row whose details are open next to the table. */
  readonly chosen?: string | number | null;
}

const phone = matchMedia("(max-width: 640px)");

/** Whether rows are shown as cards. */
export const usePhone = () =>
  useSyncExternalStore(
    (onChange) => {
      phone.addEventListener("change", onChange);
      return () => phone.removeEventListener("change", onChange);
    },
    () => phone.matches,
  );

export function Table<Row>(props: TableProps<Row>) {
  const isPhone = usePhone();
  const columns = props.columns.filter((column) => column !== false);
  return (
    <div className="table-wrap">
      <table className="table">
        <caption className="visually-hidden">{props.caption}</caption>
        {!isPhone && (
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.head} scope="col" className={column.end ? "end" : undefined}>
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {props.rows.map((row) => (
            <tr
              key={props.rowKey(row)}
              className={props.linked ? "link" : undefined}
              aria-current={props.rowKey(row) === props.chosen || undefined}
            >
              {isPhone ? (
                <Card columns={columns} row={row} />
              ) : (
                columns.map((column) => (
                  <td key={column.head} className={column.end ? "end" : undefined}>
                    {column.cell(row)}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isEmpty = (shown: ReactNode) => !shown || shown === "–";

function Card<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const cells = columns
    .map(({ head, cell, card }, at) => ({
      head,
      place: card ?? (at === 0 ? "title" : "line"),
      shown: cell(row),
    }))
    .filter(({ shown }) => !isEmpty(shown));
  const at = (...places: readonly CardPlace[]) =>
    cells.filter(({ place }) => places.includes(place));
  const plain = (place: CardPlace) =>
    at(place).map(({ head, shown }) => <Fragment key={head}>{shown}</Fragment>);
  return (
    <td className="row-card">
      <div>
        <div className="grow">{plain("title")}</div>
        <div className="small muted">{plain("side")}</div>
      </div>
      <div className="small soft">
        <div className="lines">
          {at("line", "labelled").map(({ head, place, shown }) => (
            <span key={head}>
              <span className={place === "line" ? "visually-hidden" : undefined}>{head}: </span>
              {shown}
            </span>
          ))}
        </div>
        <div className="row firm">{plain("action")}</div>
      </div>
      <div className="small soft">{plain("block")}</div>
    </td>
  );
}

/** Without `total`, a full page means that there may be another one. */
export function Pager(props: {
  offset: number;
  limit: number;
  shown: number;
  total?: number;
  /** False: `total` only shows that more rows exist. */
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
          {t("pager.back")}
        </Button>
        <Button small disabled={!more} onClick={() => props.onOffset(offset + limit)}>
          {t("pager.next")}
        </Button>
      </span>
    </div>
  );
}
