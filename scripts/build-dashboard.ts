/**
 * Builds the dashboard: src/dashboard/web → src/dashboard/dist/dashboard.pack, one file that the
 * binary embeds. Hashed names, minified, split by route, each file also precompressed with brotli.
 * Deterministic; skipped if no input changed.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { LANGUAGES } from "../src/dashboard/web/i18n/language.ts";
import { dashboardFonts } from "./dashboard-fonts.ts";
import { generateDashboardSources, pageMetas } from "./dashboard-sources.ts";
import { hashedFile, type PackedFile, packed } from "./pack.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const web = `${root}src/dashboard/web`;
const output = `${root}src/dashboard/dist`;
const packFile = `${output}/dashboard.pack`;
const stampFile = `${output}/stamp`;
const ASSETS_PATH = "/app/assets/";

/** Source files that the bundle may import, and that decide whether to rebuild. */
const INPUTS = [
  "src/dashboard/web/**/*",
  "src/core/*.ts",
  "src/conversation/disclosure/disclosure-words.ts",
  "scripts/{build-dashboard,dashboard-fonts,dashboard-sources,pack}.ts",
];

/** Replaces plain font names in style sheets by the hashed names under which fonts are served. */
const hashedFonts = (fonts: ReadonlyMap<string, PackedFile>): BunPlugin => ({
  name: "hashed-fonts",
  setup(build) {
    build.onResolve({ filter: /\.woff2$/ }, ({ path }) => ({
      path: `${ASSETS_PATH}${fonts.get(path.replace(/^.*\//, ""))?.name}`,
      external: true,
    }));
  },
});

async function bundle(
  entrypoints: string[],
  define: Record<string, string> = {},
  plugins: BunPlugin[] = [],
): Promise<Bun.BuildOutput> {
  const result = await Bun.build({
    entrypoints,
    target: "browser",
    format: "esm",
    minify: true,
    splitting: true,
    publicPath: ASSETS_PATH,
    naming: {
      entry: "[name]-[hash].[ext]",
      chunk: "chunk-[hash].[ext]",
      asset: "[name]-[hash].[ext]",
    },
    metafile: true,
    define: { "process.env.NODE_ENV": '"production"', ...define },
    plugins,
  });
  if (!result.success) throw new AggregateError(result.logs, "the dashboard does not build");
  return result;
}

/** URLs that early.ts requests: each page's code, each language's texts. */
async function firstLoad(app: Bun.BuildOutput, files: readonly PackedFile[]): Promise<string> {
  const main = entryName(app, "main", "js");
  const sources = Object.entries(app.metafile?.outputs ?? {});
  const codeOf = (source: string) => {
    const found = sources.find(([, { entryPoint }]) => entryPoint?.endsWith(source));
    if (!found) throw new Error(`the build made no chunk of ${source}`);
    const name = nameOf(found[0]);
    return [name, ...staticImports(files, name)]
      .filter((chunk) => chunk !== main)
      .map((chunk) => ASSETS_PATH + chunk);
  };
  const pages = (await pageMetas()).map(({ file, meta }) => ({
    pattern: `^/app${meta.path.replaceAll(/\$\w+/g, "[^/]+").replace(/\/$/, "")}/?$`,
    code: codeOf(`/web/${file.replace("page.meta.ts", "page.tsx")}`),
    data: meta.firstData ?? null,
  }));
  return JSON.stringify({
    // Pages without parameters first, because /agents/new would also match an agent's page.
    pages: pages.sort((a, b) => Number(a.pattern.includes("[")) - Number(b.pattern.includes("["))),
    texts: Object.fromEntries(
      LANGUAGES.map((language) => [language, codeOf(`/generated/${language}.gen.ts`)]),
    ),
  });
}

const nameOf = (path: string) => path.replace(/^\.?\//, "");

async function filesOf(result: Bun.BuildOutput): Promise<PackedFile[]> {
  return await Promise.all(
    result.outputs.map(async (file) => ({
      name: nameOf(file.path),
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

function entryName(result: Bun.BuildOutput, stem: string, extension: string): string {
  const found = result.outputs.find(
    ({ path }) => nameOf(path).startsWith(`${stem}-`) && path.endsWith(`.${extension}`),
  );
  if (!found) throw new Error(`the build made no ${stem}.${extension}`);
  return nameOf(found.path);
}

/** Chunks that an entry imports statically. The page lists them, so that they load in parallel. */
function staticImports(files: readonly PackedFile[], entry: string): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    const file = files.find((candidate) => candidate.name === name);
    const text = new TextDecoder().decode(file?.bytes);
    for (const match of text.matchAll(/(?:from|import)\s*"\/app\/assets\/([^"]+\.js)"/g)) {
      const imported = match[1] ?? "";
      if (found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(entry);
  return [...found];
}

interface Entries {
  readonly script: string;
  readonly early: string;
  readonly style: string;
  readonly icon: string;
}

async function page(files: readonly PackedFile[], { script, early, style, icon }: Entries) {
  const preloads = [
    ...staticImports(files, script).map(
      (name) => `rel="modulepreload" href="${ASSETS_PATH}${name}"`,
    ),
    ...files
      .filter(({ name }) => /^inter-latin.*\.woff2$/.test(name))
      .map(
        ({ name }) =>
          `rel="preload" as="font" type="font/woff2" crossorigin href="${ASSETS_PATH}${name}"`,
      ),
  ]
    .map((attributes) => `<link ${attributes}>`)
    .join("\n");
  const template = await Bun.file(`${web}/index.html`).text();
  return template
    .replace("%script%", ASSETS_PATH + script)
    .replace("%early%", ASSETS_PATH + early)
    .replace("%style%", ASSETS_PATH + style)
    .replace("%icon%", ASSETS_PATH + icon)
    .replace("%preloads%", preloads);
}

async function inputHash(): Promise<string> {
  const hash = createHash("sha256").update(await Bun.file(`${root}package-lock.json`).bytes());
  for (const pattern of INPUTS) {
    const files = (await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))).sort();
    for (const file of files) hash.update(file).update(await Bun.file(root + file).bytes());
  }
  return hash.digest("hex");
}

/** Returns false if the pack was up to date. */
export async function buildDashboard(): Promise<boolean> {
  await generateDashboardSources();
  const hash = await inputHash();
  if (existsSync(packFile) && existsSync(stampFile) && (await Bun.file(stampFile).text()) === hash)
    return false;
  const fonts = await dashboardFonts();
  const worklet = await bundle([`${web}/audio/microphone.worklet.ts`]);
  const workletName = entryName(worklet, "microphone.worklet", "js");
  const app = await bundle(
    [`${web}/main.tsx`, `${web}/styles/app.css`],
    { MICROPHONE_WORKLET_URL: JSON.stringify(ASSETS_PATH + workletName) },
    [hashedFonts(fonts)],
  );
  const appFiles = await filesOf(app);
  const early = await bundle([`${web}/early.ts`], { FIRST_LOAD: await firstLoad(app, appFiles) });
  const icon = hashedFile("icon", "svg", await Bun.file(`${web}/icon.svg`).bytes());
  const files = [
    ...(await filesOf(worklet)),
    ...(await filesOf(early)),
    ...appFiles,
    icon,
    ...fonts.values(),
  ];
  const html = await page(files, {
    script: entryName(app, "main", "js"),
    early: entryName(early, "early", "js"),
    style: entryName(app, "app", "css"),
    icon: icon.name,
  });
  files.push({ name: "index.html", bytes: new TextEncoder().encode(html) });
  await mkdir(output, { recursive: true });
  await Bun.write(`${packFile}.new`, packed(files));
  await rename(`${packFile}.new`, packFile);
  await Bun.write(stampFile, hash);
  return true;
}

if (import.meta.main) {
  const built = await buildDashboard();
  console.error(built ? "built the dashboard" : "the dashboard is up to date");
}
