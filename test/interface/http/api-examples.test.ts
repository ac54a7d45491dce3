/** The requests of the API reference, run as they stand: each language gets the answer that the others get. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { EXAMPLES, type Example, LANGUAGES } from "../../../scripts/api-examples.ts";
import { type ApiServer, type ApiTenant, ask, startApiServer } from "../../support/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

setDefaultTimeout(120_000);

type Language = keyof typeof LANGUAGES;
const COMMANDS: Readonly<Record<Language, readonly string[]>> = {
  curl: ["sh"],
  typescript: [process.execPath, "run"],
  python: ["python3"],
  php: ["php"],
};
const EXTENSIONS = { curl: "sh", typescript: "ts", python: "py", php: "php" } as const;
/** What a request gets that was written wrongly. */
const WRONG = new Set([400, 401, 405, 411, 413, 415]);

const directory = tempDir();
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer({ directory });
});
afterAll(() => server.stop());

/** The status that the snippet was answered with. curl does not show it: it is asked to. */
async function statusOf(
  example: Example,
  language: Language,
  tenant: ApiTenant,
): Promise<readonly [Language, number]> {
  const file = join(directory, `${example.id}.${EXTENSIONS[language]}`);
  const text = LANGUAGES[language](example);
  await Bun.write(
    file,
    language === "curl"
      ? text.replace("curl -sS", "curl -sS -o /dev/null -w '%{http_code} '")
      : text,
  );
  const child = Bun.spawn([...COMMANDS[language], file], {
    env: {
      ...process.env,
      LINEVOICE_URL: `${server.base}/api/v1`,
      LINEVOICE_KEY: tenant.key,
    },
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${example.id} in ${language}: ${errors}`);
  return [language, Number(output.split(" ")[0])];
}

for (const example of EXAMPLES)
  test(`${example.method} ${example.path}`, async () => {
    const tenant = await server.tenant(); // one of the requests revokes the key
    // A call without `agent_id` is the only agent's.
    await ask(server, tenant, "POST", "/agents", { name: "Reception", prompt: "Take messages." });
    const languages = Object.keys(LANGUAGES) as Language[];
    const statuses = await Promise.all(
      languages.map((language) => statusOf(example, language, tenant)),
    );
    const wrong = statuses.filter(
      ([, status]) => !(status >= 200 && status < 500) || WRONG.has(status),
    );
    expect(wrong).toEqual([]);
  });
