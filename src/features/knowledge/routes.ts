/** Knowledge files (specification 4, decisions 4). */

import { z } from "zod";
import { knowledgeShare } from "../../conversation/prompt/knowledge-section.ts";
import { yieldToEventLoop } from "../../core/clock.ts";
import { invalidField } from "../../core/errors.ts";
import { recordOf, wireOf } from "../../core/wire-names.ts";
import { authorOf, contract, route } from "../../http/contract.ts";
import {
  atMost,
  deletedReply,
  field,
  idIn,
  idOut,
  okReply,
  shown,
  timeOut,
} from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { documentRefused } from "./documents.ts";
import { FILE_BYTES_MAX, type FileRecord } from "./files.ts";
import { DOCUMENT_BYTES_MAX } from "./imports.ts";

const fileShape = {
  id: idOut("file"),
  filename: shown(z.string(), "File name with extension.", "prices.md"),
  format: shown(
    z.enum(["txt", "md", "csv", "json"]),
    "Format, from the extension of the file name.",
    "md",
  ),
  size_bytes: shown(z.int(), "Size of the content in bytes of UTF-8.", 2048),
  agent_ids: shown(z.array(z.int()), "Ids of the agents that use the file.", [1]),
  in_prompt: shown(
    z.record(z.string(), z.enum(["whole", "passages"])),
    "Per agent id: `whole` if the agent's files are all in its prompt, `passages` if they are too large together and each question gets the passages that match.",
    { "1": "whole" },
  ),
  created_at: timeOut("Time of creation."),
  updated_at: timeOut("Time of the last change."),
};

export const KnowledgeFile = z.strictObject(fileShape).meta({ id: "File" });
export const FileWithContent = z
  .strictObject({ ...fileShape, content: shown(z.string(), "Text of the file.", "# Prices\n") })
  .meta({ id: "FileWithContent" });

export const filename = field(
  z
    .string()
    .min(4)
    .check(atMost(255))
    // Spelled without the flag `i`, which JSON Schema lacks.
    .regex(
      /^(?:[^/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}][\u200c\u200d]*)+\.([tT][xX][tT]|[mM][dD]|[cC][sS][vV]|[jJ][sS][oO][nN])$/u,
    ),
  {
    description: "File name with the extension .txt, .md, .csv or .json.",
    example: "prices.md",
    must: "be a file name of at most 255 visible characters ending in .txt, .md, .csv or .json",
  },
);
export const content = field(
  z.string().refine((text) => Buffer.byteLength(text) <= FILE_BYTES_MAX),
  {
    description: "Text of the file, at most 512,000 bytes in UTF-8.",
    example: "# Prices\nA check-up is 40 EUR.",
    must: `be text of at most ${FILE_BYTES_MAX} bytes of UTF-8`,
  },
).meta({ maxLength: FILE_BYTES_MAX });

export const listFiles = contract({
  operationId: "listFiles",
  at: "GET /files",
  tag: "Knowledge files",
  summary: "List files with sizes and assignments",
  reply: okReply({ files: z.array(KnowledgeFile) }),
});

export const createFile = contract({
  operationId: "createFile",
  recordsChanges: true,
  at: "POST /files",
  tag: "Knowledge files",
  summary: "Add a file",
  description:
    "A `.json` file must be valid JSON. A `.csv` file must have a header row. `agent_id` attaches the file to that agent.",
  body: z
    .strictObject({
      filename,
      content,
      agent_id: idIn("agents", "`null` for none.").nullable().default(null),
    })
    .meta({ id: "NewFile" }),
  textField: "content",
  reply: okReply({ file: KnowledgeFile }),
  errors: ["plan_limit_reached", "valid_content_required", "unknown_field", "not_found"],
});

const BASE64_MAX = Math.ceil(DOCUMENT_BYTES_MAX / 3) * 4;
const isBase64Long = (text: string) => text.length <= BASE64_MAX;
const BASE64_RULE = `be base64 of at most ${DOCUMENT_BYTES_MAX} bytes`;
/** Includes room for the other fields. */
const IMPORT_BODY_BYTES_MAX = BASE64_MAX + 4_096;

export const importFile = contract({
  operationId: "importFile",
  at: "POST /files/import",
  weight: 20,
  tag: "Knowledge files",
  summary: "Add a document",
  description:
    "Reads PDF, Word (.docx) and HTML files of at most 8,388,608 bytes. Adds the text as one `.md` file, or several if the text exceeds 512,000 bytes. Headings and tables are preserved, scripts are removed. If a file can't be read, the error explains what to do.",
  body: z
    .strictObject({
      filename: field(
        z
          .string()
          .min(1)
          .max(255)
          .regex(/^[^/\\\u0000-\u001f]+$/),
        {
          description: "Name of the document. The new file gets the same name.",
          example: "price-list.html",
          must: "be a file name of at most 255 characters",
        },
      ),
      content_base64: field(z.string().refine(isBase64Long), {
        description: `Document in base64, at most ${DOCUMENT_BYTES_MAX} bytes.`,
        example: "PGh0bWw+PGgxPlByaWNlczwvaDE+PHA+QSBjaGVjay11cCBpcyA0MCBFVVIuPC9wPjwvaHRtbD4=",
        must: BASE64_RULE,
      }),
      agent_id: idIn("agents", "`null` for none.").nullable().default(null),
    })
    .meta({ id: "DocumentToImport" }),
  bodyBytesMax: IMPORT_BODY_BYTES_MAX,
  reply: okReply({
    files: z.array(KnowledgeFile),
    empty_pages: shown(z.int(), "Number of PDF pages without text, such as scanned pages.", 0),
  }),
  errors: ["plan_limit_reached", "not_found", "unavailable"],
});

export const getFile = contract({
  operationId: "getFile",
  at: "GET /files/{id}",
  noun: "file",
  tag: "Knowledge files",
  summary: "One file, with its content",
  reply: okReply({ file: FileWithContent }),
});

export const updateFile = contract({
  operationId: "updateFile",
  recordsChanges: true,
  at: "PATCH /files/{id}",
  noun: "file",
  tag: "Knowledge files",
  summary: "Change a file or its assignments",
  description:
    "`agent_id` attaches one more agent; `null` detaches the file from all agents. `agent_ids` replaces the list.",
  body: z
    .strictObject({
      filename: filename.optional(),
      content: content.optional(),
      agent_id: idIn("agents", "`null` detaches the file from all agents.").nullable().optional(),
      agent_ids: field(z.array(z.int().positive()).max(1000), {
        description: "Complete list of ids of the agents that use the file.",
        example: [1],
        must: "be a list of at most 1000 agent ids",
      }).optional(),
    })
    .meta({ id: "FileChanges" }),
  textField: "content",
  reply: okReply({ file: KnowledgeFile }),
  errors: ["valid_content_required", "unknown_field"],
});

export const deleteFile = contract({
  operationId: "deleteFile",
  recordsChanges: true,
  at: "DELETE /files/{id}",
  noun: "file",
  tag: "Knowledge files",
  summary: "Delete a file",
  reply: deletedReply(),
});

/** Decodes without a regular expression, because eight megabytes are too much for one. */
function documentOf(base64: string): Uint8Array<ArrayBuffer> {
  if (base64 === "") throw documentRefused("empty");
  const refused = invalidField("content_base64", `\`content_base64\` must ${BASE64_RULE}.`);
  try {
    const bytes = Uint8Array.fromBase64(base64);
    if (bytes.length > 0 && bytes.length <= DOCUMENT_BYTES_MAX) return bytes;
  } catch {
    throw refused;
  }
  throw refused;
}

/** Shows files as the tenant's agents use them now. */
async function presented(
  { settings, dependencies: { services } }: RouteContext,
  tenantId: number,
  files: readonly FileRecord[],
) {
  const bytes = await services.files.bytesOfAgents(tenantId);
  const inPrompt = (agentId: number) =>
    knowledgeShare(bytes.get(agentId) ?? 0, settings.knowledgeTokens).inPrompt;
  return files.map((file) =>
    wireOf(KnowledgeFile, file, {
      in_prompt: Object.fromEntries(file.agentIds.map((id) => [String(id), inPrompt(id)])),
    }),
  );
}

export const fileRoutes = (context: RouteContext) => {
  const { files, documentImports } = context.dependencies.services;
  const present = async (tenantId: number, file: FileRecord) => {
    const [shown] = await presented(context, tenantId, [file]);
    if (!shown) throw new Error("one file was asked for");
    return shown;
  };
  return [
    route(listFiles)(async ({ tenantId }) => ({
      ok: true,
      files: await presented(context, tenantId, await files.list(tenantId)),
    })),
    route(createFile)(async ({ tenantId, body, ...request }) => ({
      ok: true,
      file: await present(
        tenantId,
        await files.create(tenantId, recordOf(body), authorOf(request)),
      ),
    })),
    route(importFile)(async ({ tenantId, body, ...request }) => {
      const { filename, content_base64, agent_id: agentId } = body;
      // Reading the body took some milliseconds and decoding takes more, so yield in between.
      await yieldToEventLoop();
      const bytes = documentOf(content_base64);
      const document = { filename, bytes, agentId };
      const imported = await documentImports.add(tenantId, document, authorOf(request));
      const shown = await presented(context, tenantId, imported.files);
      return { ok: true, files: shown, empty_pages: imported.emptyPages };
    }),
    route(getFile)(async ({ tenantId, params }) => {
      const file = await files.get(tenantId, params.id);
      return { ok: true, file: { ...(await present(tenantId, file)), content: file.content } };
    }),
    route(updateFile)(async ({ tenantId, params, body, ...request }) => {
      const author = authorOf(request);
      const file = await files.update(tenantId, params.id, recordOf(body), author);
      return { ok: true, file: await present(tenantId, file) };
    }),
    route(deleteFile)(async ({ tenantId, params, ...request }) => {
      await files.remove(tenantId, params.id, authorOf(request));
      return { ok: true, id: params.id, deleted: true };
    }),
  ];
};
