/** The requests of the API reference, run unchanged: every language gets the same answers. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { EXAMPLES, LANGUAGES } from "../../scripts/api-examples.ts";
import { type ApiServer, ask, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(120_000);

type Language = keyof typeof LANGUAGES;

/**
 * How one process of a language runs all of its snippets, each with a separate key and after a line with its id.
 */
interface Runner {
  readonly command: readonly string[];
  readonly extension: string;
  readonly begin: string;
  readonly each: (id: string, file: string, key: string) => string;
}

const RUNNERS: Readonly<Record<Language, Runner>> = {
  curl: {
    command: ["sh"],
    extension: "sh",
    begin: "set -e",
    each: (id, file, key) => `echo "@@ ${id}"; LINEVOICE_KEY=${key} sh ${file}`,
  },
  typescript: {
    command: [process.execPath, "run"],
    extension: "ts",
    begin: "",
    each: (id, file, key) =>
      `process.env.LINEVOICE_KEY = "${key}"; console.log("@@ ${id}"); await import("${file}");`,
  },
  python: {
    command: ["python3"],
    extension: "py",
    begin: "import os, runpy",
    each: (id, file, key) =>
      `os.environ["LINEVOICE_KEY"] = "${key}"; print("@@ ${id}"); runpy.run_path("${file}")`,
  },
  php: {
    command: ["php"],
    extension: "php",
    begin: "<?php",
    each: (id, file, key) =>
      `putenv("LINEVOICE_KEY=${key}"); echo "@@ ${id}\\n"; include "${file}";`,
  },
};
/** Status codes of badly written requests. */
const WRONG = new Set([400, 401, 405, 411, 413, 415]);
const languages = Object.keys(LANGUAGES) as Language[];

const directory = tempDir();
let server: ApiServer;
/** A tenant's key per example, because one request revokes it. */
const keys = new Map<string, string>();
const answered = new Map<Language, { statuses: Map<string, number>; errors: string }>();

beforeAll(async () => {
  server = await startApiServer({ directory });
  for (const { id } of EXAMPLES) {
    const tenant = await server.tenant();
    // A call without `agent_id` uses the only agent.
    await ask(server, tenant, "POST", "/agents", { name: "Reception", prompt: "Take messages." });
    keys.set(id, tenant.key);
  }
  await Promise.all(languages.map(runAll));
});
afterAll(() => server.stop());

async function runAll(language: Language): Promise<void> {
  const { command, extension, begin, each } = RUNNERS[language];
  const lines = [begin];
  for (const example of EXAMPLES) {
    const file = join(directory, `${example.id}.${extension}`);
    const text = LANGUAGES[language](example);
    // An option for curl to print the status.
    await Bun.write(file, text.replace("curl -sS", "curl -sS -o /dev/null -w '%{http_code} '"));
    lines.push(each(example.id, file, keys.get(example.id) ?? ""));
  }
  const all = join(directory, `all.${extension}`);
  await Bun.write(all, lines.join("\n"));
  const child = Bun.spawn([...command, all], {
    env: { ...process.env, LINEVOICE_URL: `${server.base}/api/v1` },
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const statuses = new Map<string, number>();
  for (const [, id = "", status] of output.matchAll(/@@ (\w+)\s+(\d+) /g))
    statuses.set(id, Number(status));
  answered.set(language, { statuses, errors });
}

test.each(EXAMPLES.map((example) => [`${example.method} ${example.path}`, example.id] as const))(
  "%s",
  (_, id) => {
    for (const language of languages) {
      const { statuses = new Map<string, number>(), errors = "" } = answered.get(language) ?? {};
      const status = statuses.get(id) ?? 0;
      const isRight = status >= 200 && status < 500 && !WRONG.has(status);
      expect(isRight, `${language}: ${status} ${errors}`).toBeTrue();
    }
  },
);
