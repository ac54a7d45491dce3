/** The endpoints of docs/tools.md, started as the page describes and called by the appliance over HTTPS. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { silentLog } from "../../../src/core/log.ts";
import { createArgumentCheck } from "../../../src/features/tool/argument-check.ts";
import { HttpToolRunner } from "../../../src/features/tool/run-tool.ts";
import { toolTargetStore } from "../../../src/features/tool/tool-target-store.ts";
import { SafeHttpClient } from "../../../src/platform/net/outbound-http.ts";
import { spawnSchemaWorker } from "../../../src/workers.ts";
import { eventually } from "../../support/eventually.ts";
import { testCa } from "../../support/net/test-ca.ts";
import { plainVault } from "../../support/store/plain-vault.ts";
import { insertTenant, insertTool } from "../../support/store/stored-rows.ts";
import { openTestDatabase } from "../../support/store/test-store.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOST = "127.44.0.2";
const page = readFileSync(join(import.meta.dir, "../../../docs/tools.md"), "utf8");
const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);
const programOf = (language: string) =>
  blocks.find((block) => block.language === language)?.text ?? "";
const schema = JSON.parse(blocks.filter(({ language }) => language === "json").at(-1)?.text ?? "");

const COMMANDS = {
  php: { file: "orders.php", command: (port: number) => ["php", "-S", `127.0.0.1:${port}`] },
  js: { file: "orders.mjs", command: () => ["node"] },
  python: { file: "orders.py", command: () => ["python3"] },
} as const;

const directory = tempDir();
const ca = testCa(directory);
const database = await openTestDatabase(join(directory, "tools.db"), 0);
const argumentCheck = createArgumentCheck(spawnSchemaWorker);
let tenantId = 0;

beforeAll(async () => {
  tenantId = await insertTenant(database);
});
afterAll(async () => {
  argumentCheck.close();
  await database.close();
});

const runner = new HttpToolRunner({
  database,
  targets: toolTargetStore,
  vault: plainVault,
  client: new SafeHttpClient({ allowNetworks: [HOST], caPem: ca.caPem }),
  argumentCheck,
  timeoutMs: 10_000,
  resultBytesMax: 16_384,
  log: silentLog,
});

/** TLS before an endpoint, like a reverse proxy. */
function proxyTo(port: number) {
  const { cert, key } = ca.issue([`IP:${HOST}`]);
  return Bun.serve({
    hostname: HOST,
    port: 0,
    tls: { cert, key },
    fetch: async (request) => {
      const body = await request.text();
      return await fetch(`http://127.0.0.1:${port}/`, {
        method: request.method,
        headers: request.headers,
        body,
      });
    },
  });
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
}

async function startEndpoint(language: keyof typeof COMMANDS, port: number): Promise<Subprocess> {
  const { file, command } = COMMANDS[language];
  const path = join(directory, file);
  await Bun.write(path, programOf(language));
  const child = Bun.spawn([...command(port), path], {
    env: { ...process.env, LINEVOICE_SECRET: "s3cret", PORT: String(port) },
    stdout: "ignore",
    stderr: "ignore",
  });
  await eventually(
    () =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST" }).then(
        ({ status }) => status === 401,
        () => false,
      ),
    `${file} refuses a request without the secret`,
  );
  return child;
}

for (const language of ["php", "js", "python"] as const)
  test(`${language}: an order is found, an unknown one is not, a wrong secret is refused`, async () => {
    const port = await freePort();
    const endpoint = await startEndpoint(language, port);
    const proxy = proxyTo(port);
    const call = {
      callUuid: "019aa1b2-0000-7000-8000-000000000001",
      toolCallId: "1",
      tool: `find_${language}`,
      caller: { number: "+37061234567", direction: "inbound" },
    };
    try {
      const tool = {
        url: `https://${HOST}:${proxy.port}/orders`,
        name: call.tool,
        parameters: schema,
        secretHeader: "X-Tool-Secret",
        secretSealed: "sealed:s3cret",
      };
      await insertTool(database, tenantId, tool);
      const ask = (order: string) => runner.run(tenantId, { ...call, arguments: { order } });
      expect(await ask("A-1042")).toMatchObject({
        ok: true,
        output: { answer: "ready since ten o'clock" },
      });
      expect(await ask("B-1")).toMatchObject({
        ok: false,
        httpStatus: 404,
        output: { answer: "There is no order B-1." },
      });
      await insertTool(database, tenantId, {
        ...tool,
        name: `${call.tool}_wrong`,
        secretSealed: "sealed:wrong",
      });
      const refused = { ...call, tool: `${call.tool}_wrong`, arguments: { order: "A-1042" } };
      expect(await runner.run(tenantId, refused)).toMatchObject({ ok: false, httpStatus: 401 });
    } finally {
      await proxy.stop(true);
      endpoint.kill();
      await endpoint.exited;
    }
  });
