/** Writes a document's content as Markdown: only headings, paragraphs, list items and tables. */
import { DocumentError } from "./document-error.ts";

interface Cell {
  columns: number;
  rows: number;
  /** The cell continues the cell above it and repeats its text. */
  continues: boolean;
}

interface Table {
  readonly rows: string[][];
  /** By column: text of a cell that spans further rows, and their number. */
  readonly carried: Map<number, { readonly text: string; rows: number }>;
  /** Null outside a cell. */
  cell: Cell | null;
}

/** Limit for a document's text. */
export const CHARACTERS_MAX = 20_000_000;
const COLUMNS_SPANNED_MAX = 50;
const ROWS_SPANNED_MAX = 1_000;
/** A longer text is written once instead of in every row that its cell spans. */
const CARRIED_CHARACTERS_MAX = 200;

/** Characters per column in addition to its text: `" | "`. */
const COLUMN_CHARACTERS = 3;

const bounded = (count: number, most: number) => Math.min(most, Math.max(1, count));

export class MarkdownWriter {
  readonly #blocks: string[] = [];
  readonly #tables: Table[] = [];
  #prefix = "";
  #text = "";
  #length = 0;

  /** Throws DocumentError too_long when text is added. */
  constructor(private readonly charactersMax = CHARACTERS_MAX) {}

  /** `level` 1 to 6. */
  heading(level: number): void {
    this.block("#".repeat(Math.min(6, Math.max(1, level))));
  }

  listItem(): void {
    this.block("-");
  }

  /** Separates the following text from the text before. */
  block(prefix = ""): void {
    const table = this.#tables.at(-1);
    if (table) {
      this.text(" ");
      return;
    }
    this.#finish();
    this.#prefix = prefix;
  }

  /** Collapses white space, as on the screen. */
  text(text: string): void {
    this.#text += text.replace(/\s+/g, " ");
  }

  lineBreak(): void {
    this.#text += this.#tables.length > 0 || this.#prefix !== "" ? " " : "\n";
  }

  startTable(): void {
    if (this.#tables.length === 0) this.#finish();
    else this.text(" ");
    // A nested table becomes text of its outer cell.
    this.#tables.push({ rows: [], carried: new Map(), cell: null });
  }

  startRow(): void {
    this.#endRow();
    this.#tables.at(-1)?.rows.push([]);
  }

  startCell(columns = 1, rows = 1): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    this.#endCell();
    if (table.rows.length === 0) table.rows.push([]);
    if (this.#tables.length === 1) this.#text = "";
    table.cell = {
      columns: bounded(columns, COLUMNS_SPANNED_MAX),
      rows: bounded(rows, ROWS_SPANNED_MAX),
      continues: false,
    };
  }

  /** The current cell spans several columns. */
  spanColumns(columns: number): void {
    const cell = this.#tables.at(-1)?.cell;
    if (cell) cell.columns = bounded(columns, COLUMNS_SPANNED_MAX);
  }

  continueCell(): void {
    const cell = this.#tables.at(-1)?.cell;
    if (cell) cell.continues = true;
  }

  endTable(): void {
    this.#endRow();
    const table = this.#tables.pop();
    if (!table || this.#tables.length > 0) return;
    this.#text = "";
    const block = tableText(table.rows);
    // The cells were counted when they ended.
    if (block !== "") this.#blocks.push(block);
  }

  /** Deletes everything written so far. */
  restart(): void {
    this.#blocks.length = 0;
    this.#tables.length = 0;
    this.#prefix = "";
    this.#text = "";
    this.#length = 0;
  }

  toString(): string {
    while (this.#tables.length > 0) this.endTable();
    this.#finish();
    return this.#blocks.join("\n\n").replace(/^(- .*)\n\n(?=- )/gm, "$1\n");
  }

  #endCell(): void {
    const table = this.#tables.at(-1);
    if (!table?.cell) return;
    const { columns, rows, continues } = table.cell;
    table.cell = null;
    if (this.#tables.length > 1) {
      this.text(", ");
      return;
    }
    const row = table.rows.at(-1) ?? [];
    this.#fillCarried(table, row);
    const above = continues ? (table.rows.at(-2)?.[row.length] ?? "") : "";
    const text = this.#text.trim() || (above.length <= CARRIED_CHARACTERS_MAX ? above : "");
    this.#text = "";
    if (rows > 1)
      table.carried.set(row.length, {
        text: text.length <= CARRIED_CHARACTERS_MAX ? text : "",
        rows: rows - 1,
      });
    row.push(text, ...Array<string>(columns - 1).fill(""));
    this.#count(text.length + COLUMN_CHARACTERS * columns);
  }

  #endRow(): void {
    this.#endCell();
    const table = this.#tables.at(-1);
    const row = table?.rows.at(-1);
    if (table && row && row.length > 0) this.#fillCarried(table, row);
  }

  /** Fills columns with the text of cells from rows above. */
  #fillCarried({ carried }: Table, row: string[]): void {
    for (let above = carried.get(row.length); above; above = carried.get(row.length)) {
      above.rows--;
      if (above.rows === 0) carried.delete(row.length);
      row.push(above.text);
      this.#count(above.text.length + COLUMN_CHARACTERS);
    }
  }

  #count(characters: number): void {
    this.#length += characters;
    if (this.#length > this.charactersMax) throw new DocumentError("too_long");
  }

  #finish(): void {
    const lines = this.#text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
    const text = lines.filter((line) => line !== "").join("\n");
    this.#text = "";
    if (text === "") return;
    // Escapes text that looks like a heading.
    const plain = text.replace(/^#+(?=\s)/gm, "\\$&");
    this.#add(this.#prefix === "" ? plain : `${this.#prefix} ${plain}`);
    this.#prefix = "";
  }

  #add(block: string): void {
    if (block === "") return;
    this.#count(block.length);
    this.#blocks.push(block);
  }
}

/** Writes a Markdown table. A single column or row becomes text. */
export function tableText(cells: readonly (readonly string[])[]): string {
  const rows = cells.filter((row) => row.some((cell) => cell !== ""));
  // Not spread: a table may have more rows than a function takes arguments.
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns < 2 || rows.length < 2)
    return rows.map((row) => row.filter((cell) => cell !== "").join(": ")).join("\n\n");
  const line = (row: readonly string[]) => {
    const whole = Array.from({ length: columns }, (_, at) => row[at] ?? "");
    return `| ${whole.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  };
  const [head = [], ...body] = rows;
  return [line(head), `|${" --- |".repeat(columns)}`, ...body.map(line)].join("\n");
}
