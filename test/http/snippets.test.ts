/** The snippets of GET /webhooks/snippet run, accept our signatures, and refuse everything else. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { signatureHeader } from "../../src/features/webhook/signature.ts";
import { type ApiServer, type ApiTenant, ask, startApiServer } from "../support/http/api-server.ts";
import {
  canRun,
  installSnippet,
  runSnippet,
  SNIPPET_LANGUAGES,
} from "../support/http/snippet-runners.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();
let server: ApiServer;
let tenant: ApiTenant;

beforeAll(async () => {
  server = await startApiServer({ directory });
  tenant = await server.tenant();
});
afterAll(() => server.stop());

const SECRET = "5f".repeat(32);
const BODY = '{"id":"evt_1","type":"call.ended","data":{"summary":"Ačiū, iki! $HOME %s \\n"}}';
const now = Math.floor(Date.now() / 1000);
const good = signatureHeader(SECRET, now, BODY);

const cases: readonly (readonly [string, string, string, boolean])[] = [
  ["an untouched delivery", BODY, good, true],
  ["one from four minutes ago", BODY, signatureHeader(SECRET, now - 240, BODY), true],
  ["one from six minutes ago", BODY, signatureHeader(SECRET, now - 360, BODY), false],
  ["one from the future", BODY, signatureHeader(SECRET, now + 360, BODY), false],
  ["a changed body", BODY.replace("evt_1", "evt_2"), good, false],
  ["another secret", BODY, signatureHeader("a".repeat(64), now, BODY), false],
  ["a moved timestamp", BODY, good.replace(`t=${now}`, `t=${now - 1}`), false],
  ["no signature", BODY, "", false],
  ["junk", BODY, "t=x,v1=y", false],
];

for (const language of SNIPPET_LANGUAGES) {
  describe.skipIf(!canRun(language))(`the ${language} snippet`, () => {
    beforeAll(async () => {
      const answer = await ask(server, tenant, "GET", `/webhooks/snippet?lang=${language}`);
      expect(answer.headers.get("content-type")).toContain("text/plain");
      await installSnippet(directory, language, answer.text);
    });

    test.each(cases)("%s", async (_, body, header, accepted) => {
      const run = await runSnippet(directory, language, { body, header, secret: SECRET });
      expect(run).toEqual({ status: accepted ? 0 : 1, errors: "" });
    });
  });
}

test("the curl snippet's sample reaches a receiver and is verified there", async () => {
  const received = Promise.withResolvers<boolean>();
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { verifySignature } = await import("../../src/features/webhook/signature.ts");
      const header = request.headers.get("x-lv-signature") ?? "";
      received.resolve(verifySignature(SECRET, header, await request.text(), now));
      return new Response(null, { status: 204 });
    },
  });
  const snippet = (await ask(server, tenant, "GET", "/webhooks/snippet?lang=curl")).text;
  const file = join(directory, "send.sh");
  await Bun.write(file, `${snippet}\nsend_signed_sample "$1" "$2"`);
  const run = Bun.spawn(["bash", file, `http://127.0.0.1:${receiver.port}/`, SECRET], {
    stdout: "ignore",
    stderr: "ignore",
  });
  expect(await run.exited).toBe(0);
  expect(await received.promise).toBe(true);
  await receiver.stop(true);
});
