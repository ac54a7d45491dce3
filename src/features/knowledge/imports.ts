/** Imports documents: each becomes one Markdown file, or several if it is long. */
import type { Author } from "../../core/author.ts";
import { AppError } from "../../core/errors.ts";
import { type DocumentReader, readerBusy } from "./documents.ts";
import { FILE_BYTES_MAX, type FileRecord, type Files } from "./files.ts";
import { withFooter } from "./footers.ts";
import { splitMarkdown } from "./split-markdown.ts";

export const DOCUMENT_BYTES_MAX = 8 * 1024 * 1024;
const NAME_CHARACTERS_MAX = 120;
/** Maximum concurrent imports per tenant. */
const BEING_READ_MAX = 3;

interface ImportedDocument {
  readonly files: readonly FileRecord[];
  /** Pages of a PDF without text, such as scanned ones. */
  readonly emptyPages: number;
}

interface DocumentToImport {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly agentId: number | null;
}

export class DocumentImports {
  /** Imports in progress, by tenant. */
  readonly #beingRead = new Map<number, number>();

  constructor(
    private readonly files: Pick<Files, "createAll">,
    /** Null in commands without a running server, which cannot read documents. */
    private readonly reader: DocumentReader | null,
  ) {}

  /**
   * Throws valid_content_base64_required (with the remedy), plan_limit_reached, not_found (agent), unavailable.
   */
  async add(
    tenantId: number,
    { filename, bytes, agentId }: DocumentToImport,
    author: Author,
  ): Promise<ImportedDocument> {
    if (!this.reader)
      throw new AppError({ code: "unavailable", publicMessage: "Start the server first." });
    const { markdown, title, footer, emptyPages } = await this.#read(tenantId, this.reader, {
      filename,
      bytes,
    });
    const headed = title === "" || /^# /m.test(markdown) ? markdown : `# ${title}\n\n${markdown}`;
    const whole = withFooter({ title: title || filename, markdown: headed }, footer);
    const texts = await splitMarkdown(whole, FILE_BYTES_MAX);
    const files = await this.files.createAll(
      tenantId,
      texts.map((content, at) => ({ filename: partName(filename, at), content, agentId })),
      author,
    );
    return { files, emptyPages };
  }

  /** Limits the concurrent imports per company, so that the reader stays available for others. */
  async #read(
    tenantId: number,
    reader: DocumentReader,
    { filename, bytes }: Pick<DocumentToImport, "filename" | "bytes">,
  ) {
    const before = this.#beingRead.get(tenantId) ?? 0;
    if (before >= BEING_READ_MAX) throw readerBusy();
    this.#beingRead.set(tenantId, before + 1);
    try {
      return await reader.read(tenantId, bytes, { filename, contentType: "" });
    } finally {
      const left = (this.#beingRead.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#beingRead.set(tenantId, left);
      else this.#beingRead.delete(tenantId);
    }
  }
}

/** `price list.pdf` becomes `price list.md`, `price list-2.md` … */
export function partName(filename: string, part: number): string {
  const plain = filename
    .replace(/\.[A-Za-z0-9]{1,5}$/, "")
    .replace(/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "-");
  const name = plain.trim().slice(0, NAME_CHARACTERS_MAX) || "document";
  return part === 0 ? `${name}.md` : `${name}-${part + 1}.md`;
}
