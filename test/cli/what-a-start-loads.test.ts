/**
 * What is evaluated before anything is asked for: the modules that static imports lead to. What only some
 * want is behind an `import()`, and this keeps it there.
 */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Our files and the packages they import, from an entry on, as paths from the root and as names. */
async function loadedBy(entry: string): Promise<Set<string>> {
  const transpilers = {
    ts: new Bun.Transpiler({ loader: "ts" }),
    tsx: new Bun.Transpiler({ loader: "tsx" }),
  };
  const loaded = new Set<string>();
  const waiting = [join(root, entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const path = relative(root, file);
    if (loaded.has(path)) continue;
    loaded.add(path);
    const kind = file.endsWith(".tsx") ? "tsx" : "ts";
    if (!file.endsWith(`.${kind}`) || !existsSync(file)) continue;
    for (const found of transpilers[kind].scanImports(await Bun.file(file).text())) {
      if (found.kind !== "import-statement") continue;
      if (found.path.startsWith(".")) waiting.push(join(dirname(file), found.path));
      else loaded.add(found.path);
    }
  }
  return loaded;
}

const among = (loaded: Set<string>, pattern: RegExp) =>
  [...loaded].filter((path) => pattern.test(path));

test("what is asked on the command line decides what is loaded: neither server nor schema before", async () => {
  const loaded = await loadedBy("src/main.ts");
  expect(loaded).toContain("src/cli/commands.ts");
  expect(among(loaded, /^src\/(?!main\.ts|cli\/|core\/|operations\/config\/)|^zod$/)).toEqual([]);
});

test("the server starts without what it needs later or never", async () => {
  const loaded = await loadedBy("src/cli/serve.ts");
  expect(loaded).toContain("src/interface/http/server.ts");
  expect(
    among(
      loaded,
      /^(stripe|nodemailer|resend|postal-mime|@simplewebauthn\/server|@libsql\/\w+)(\/|$)/,
    ),
  ).toEqual([]);
  expect(among(loaded, /^src\/(operations\/doctor|demo)\//)).toEqual([]);
  expect(among(loaded, /^src\/domain\/rehearsal\/(scenario|agent-file|text-call)\./)).toEqual([]);
});

test("before it listens the server loads of its APIs only /ping: no other contract, no operation", async () => {
  const loaded = await loadedBy("src/cli/serve.ts");
  const contracts = /^src\/interface\/(http\/(dashboard\/)?routes|contracts)\//;
  expect(among(loaded, contracts).sort()).toEqual(
    [
      ...["contracts/ask.ts", "contracts/check.ts", "contracts/schema.ts"],
      ...["http/routes/health.ts", "http/routes/service.ts"],
    ].map((path) => `src/interface/${path}`),
  );
  expect(
    among(loaded, /^src\/interface\/http\/(openapi|dashboard\/(document|sockets\/socket))/),
  ).toEqual([]);
});

test("tables of the codecs and the speech of the workers are not loaded by main", async () => {
  const loaded = await loadedBy("src/cli/serve.ts");
  expect(
    among(
      loaded,
      /^src\/adapter\/media\/audio\/|^src\/adapter\/engine\/embedded\/(speech|recogniser)\//,
    ),
  ).toEqual([]);
});
