/** Writes what a document says as Markdown: headings, paragraphs, list items and tables, and nothing else. */

interface Table {
  readonly rows: string[][];
  /** Columns that the current cell spans; 0: outside a cell. */
  span: number;
}

const COLUMNS_SPANNED_MAX = 50;

export class MarkdownWriter {
  readonly #blocks: string[] = [];
  readonly #tables: Table[] = [];
  #prefix = "";
  #text = "";
  #length = 0;

  /** Characters written so far. */
  get length(): number {
    return this.#length + this.#text.length;
  }

  /** `level` 1 to 6. */
  heading(level: number): void {
    this.block("#".repeat(Math.min(6, Math.max(1, level))));
  }

  listItem(): void {
    this.block("-");
  }

  /** What follows stands apart from what came before. */
  block(prefix = ""): void {
    const table = this.#tables.at(-1);
    if (table) {
      this.text(" ");
      return;
    }
    this.#finish();
    this.#prefix = prefix;
  }

  /** White space is one space, as on the screen. */
  text(text: string): void {
    this.#text += text.replace(/\s+/g, " ");
  }

  lineBreak(): void {
    this.#text += this.#tables.length > 0 || this.#prefix !== "" ? " " : "\n";
  }

  startTable(): void {
    if (this.#tables.length === 0) this.#finish();
    else this.text(" ");
    // A table in a cell of another is part of that cell's text.
    this.#tables.push({ rows: [], span: 0 });
  }

  startRow(): void {
    this.#endCell();
    this.#tables.at(-1)?.rows.push([]);
  }

  startCell(span = 1): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    this.#endCell();
    if (table.rows.length === 0) table.rows.push([]);
    if (this.#tables.length === 1) this.#text = "";
    table.span = Math.min(COLUMNS_SPANNED_MAX, Math.max(1, span));
  }

  endTable(): void {
    this.#endCell();
    const table = this.#tables.pop();
    if (!table || this.#tables.length > 0) return;
    this.#text = "";
    this.#add(tableText(table.rows));
  }

  /** Forgets what was written. */
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
    if (!table || table.span === 0) return;
    const row = table.rows.at(-1);
    if (this.#tables.length === 1) {
      row?.push(this.#text.trim(), ...Array<string>(table.span - 1).fill(""));
      this.#text = "";
    } else this.text(", ");
    table.span = 0;
  }

  #finish(): void {
    const lines = this.#text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
    const text = lines.filter((line) => line !== "").join("\n");
    this.#text = "";
    if (text === "") return;
    // What looks like a heading is none where the document has none.
    const plain = text.replace(/^#+(?=\s)/gm, "\\$&");
    this.#add(this.#prefix === "" ? plain : `${this.#prefix} ${plain}`);
    this.#prefix = "";
  }

  #add(block: string): void {
    if (block === "") return;
    this.#length += block.length;
    this.#blocks.push(block);
  }
}

/** As a Markdown table; one column, or one row, is no table but text. */
export function tableText(cells: readonly (readonly string[])[]): string {
  const rows = cells.filter((row) => row.some((cell) => cell !== ""));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  if (columns < 2 || rows.length < 2)
    return rows.map((row) => row.filter((cell) => cell !== "").join(": ")).join("\n\n");
  const line = (row: readonly string[]) => {
    const whole = Array.from({ length: columns }, (_, at) => row[at] ?? "");
    return `| ${whole.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
  };
  const [head = [], ...body] = rows;
  return [line(head), `|${" --- |".repeat(columns)}`, ...body.map(line)].join("\n");
}
