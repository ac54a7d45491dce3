/** Documents over REST: read, added as Markdown files, or refused with an instruction. */
import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { AppError } from "../../src/core/errors.ts";
import { importFile } from "../../src/features/knowledge/routes.ts";
import { readBody } from "../../src/http/body.ts";
import { bytesOf, pdfOf, pdfPage } from "../support/documents.ts";
import { pick, pickId } from "../support/http/api-server.ts";
import { newAgent, twoTenants } from "../support/http/two-tenants.ts";

const DOCUMENT_BYTES_MAX = 8 * 1024 * 1024;
const room = twoTenants();
const { get, post } = room;

const send = (filename: string, bytes: Uint8Array, more = {}) =>
  post("/files/import", { filename, content_base64: bytes.toBase64(), ...more });

test("a PDF becomes a Markdown file of the agent, and is read as one", async () => {
  const agentId = pickId(await post("/agents", newAgent), "agent.id");
  const pdf = pdfOf([pdfPage(["A check-up costs forty euros."]), []]);
  const answer = await send("Price list.pdf", pdf, { agent_id: agentId });
  expect(answer.status).toBe(200);
  expect(pick(answer, "empty_pages")).toBe(1);
  expect(pick(answer, "files.0")).toMatchObject({
    filename: "Price list.md",
    format: "md",
    agent_ids: [agentId],
  });
  const file = await get(`/files/${pick(answer, "files.0.id")}`);
  expect(pick(file, "file.content")).toBe("A check-up costs forty euros.\n");
});

test("a long document becomes several files, all of them or none", async () => {
  const paragraph = (at: number) => `<p>${`Sentence ${at}. `.repeat(400)}</p>`;
  const page = `<html>${Array.from({ length: 120 }, (_, at) => paragraph(at)).join("")}</html>`;
  const answer = await send("long.html", bytesOf(page));
  expect(pick(answer, "files.0.filename")).toBe("long.md");
  expect(pick(answer, "files.1.filename")).toBe("long-2.md");
  const count = async () => (pick(await get("/files"), "files") as unknown[]).length;
  const before = await count();
  const refused = await send("long.html", bytesOf(page), { agent_id: 999_999 });
  expect(refused.status).toBe(404);
  expect(await count()).toBe(before);
});

test("an unreadable document is refused with an instruction", async () => {
  const problem = async (bytes: Uint8Array) => {
    const { status, json } = await send("a.pdf", bytes);
    return [status, pick({ json } as never, "error"), pick({ json } as never, "message")];
  };
  const encrypted = pdfOf([pdfPage(["Secret"])], { encrypted: true });
  expect(await problem(encrypted)).toEqual([
    400,
    "valid_content_base64_required",
    "The document is encrypted. Save it without a password and add it again.",
  ]);
  expect((await problem(pdfOf([[]])))[2]).toContain("OCR");
  expect((await problem(new Uint8Array()))[2]).toBe("The document has no text.");
});

test("a document is accepted up to 8 MB: below, at and above the limit", async () => {
  const document = (bytes: number) => {
    const page = bytesOf("<html><p>Open from nine.</p><!--");
    const whole = new Uint8Array(bytes).fill(32);
    whole.set(page);
    return whole;
  };
  expect((await send("a.html", document(DOCUMENT_BYTES_MAX - 1))).status).toBe(200);
  expect((await send("a.html", document(DOCUMENT_BYTES_MAX))).status).toBe(200);
  const above = await send("a.html", document(DOCUMENT_BYTES_MAX + 1));
  expect([above.status, pick(above, "error")]).toEqual([400, "valid_content_base64_required"]);
  const far = await send("a.html", document(DOCUMENT_BYTES_MAX + 65_536));
  expect([far.status, pick(far, "error")]).toEqual([413, "payload_too_large"]);
});

test("invalid base64 is refused", async () => {
  for (const content_base64 of ["$$$$", "abc", "====", "ab c"]) {
    const answer = await post("/files/import", { filename: "a.pdf", content_base64 });
    expect([answer.status, pick(answer, "error")]).toEqual([400, "valid_content_base64_required"]);
  }
});

test("of 200 MB at most 16 MB above the limit are read, and nothing if the Content-Length is given", async () => {
  const limit = importFile.bodyBytesMax ?? Number.POSITIVE_INFINITY;
  const read = async (headers: Record<string, string>) => {
    let sent = 0;
    const chunk = new Uint8Array(1024 * 1024);
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent++ < 200) controller.enqueue(chunk);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const request = new Request("http://x/", { method: "POST", headers, body });
    const said = await readBody(request, limit, systemClock).then(
      () => "read",
      (error: AppError) => error.code,
    );
    return [said, sent];
  };
  expect(await read({ "content-length": String(200 * 1024 * 1024) })).toEqual([
    "payload_too_large",
    0,
  ]);
  const [said, sent] = await read({});
  expect(said).toBe("payload_too_large");
  expect(sent).toBeLessThan(30);
});
