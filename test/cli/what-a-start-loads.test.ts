/**
 * Modules that static imports load at a start. Modules that only some commands need are behind
 * `import()`, and these tests keep them there.
 */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Source files and packages that an entry imports, directly or indirectly: paths from the root, and
 * package names.
 */
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

test("the command line is parsed before the server or the schema is loaded", async () => {
  const loaded = await loadedBy("src/main.ts");
  expect(loaded).toContain("src/cli/commands.ts");
  expect(among(loaded, /^src\/(?!main\.ts|cli\/|core\/|ops\/config\/)|^zod$/)).toEqual([]);
});

test("the server starts without modules that it needs later or never", async () => {
  const loaded = await loadedBy("src/cli/serve.ts");
  expect(loaded).toContain("src/app/server/server.ts");
  expect(
    among(
      loaded,
      /^(stripe|nodemailer|resend|postal-mime|@simplewebauthn\/server|@libsql\/\w+)(\/|$)/,
    ),
  ).toEqual([]);
  expect(among(loaded, /^src\/(ops\/doctor|demo)\//)).toEqual([]);
  expect(among(loaded, /^src\/features\/rehearsal\/(scenario|agent-file|text-call)\./)).toEqual([]);
});

test("before it listens, the server loads only /ping of its APIs: no other contract and no operation", async () => {
  const loaded = await loadedBy("src/cli/serve.ts");
  const contracts =
    /^src\/http\/contracts\/|^src\/(?:features|app\/server)\/.*(?:routes|contracts?)\.ts$/;
  expect(among(loaded, contracts).sort()).toEqual(
    [
      ...["app/server/service-routes.ts", "features/appliance/routes.ts"],
      ...["http/contracts/ask.ts", "http/contracts/check.ts", "http/contracts/schema.ts"],
    ].map((path) => `src/${path}`),
  );
  expect(
    among(
      loaded,
      /^src\/(http\/openapi|app\/server\/dashboard-document|http\/dashboard\/sockets\/socket)/,
    ),
  ).toEqual([]);
});

test("the main thread loads neither codec tables nor the workers' speech code", async () => {
  const loaded = await loadedBy("src/cli/serve.ts");
  expect(
    among(loaded, /^src\/media\/audio\/|^src\/engine\/embedded\/(speech|recogniser)\//),
  ).toEqual([]);
});
