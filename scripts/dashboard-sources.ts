/**
 * Collects the declarations of the dashboard's pages into src/dashboard/web/generated (ignored by
 * git): each `page.meta.ts` becomes a route and a navigation entry, each `messages.json` a part of
 * every language's catalogue.
 */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Catalogue } from "../src/dashboard/web/i18n/catalogue.ts";
import {
  LANGUAGES,
  type Language,
  type Messages,
  type ServerMessages,
} from "../src/dashboard/web/i18n/language.ts";
import type { PageMeta } from "../src/dashboard/web/page-meta.ts";

const web = fileURLToPath(new URL("../src/dashboard/web/", import.meta.url));
const output = `${web}generated/`;

export type Texts = Readonly<Record<string, string>>;

const found = async (pattern: string): Promise<string[]> =>
  (await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: web }))).sort();

/** The texts of the pages and of the frame by language. Throws if a key is declared twice. */
export async function messageCatalogues(): Promise<Record<Language, Catalogue>> {
  const catalogues: Record<Language, Record<string, string>> = { en: {}, lt: {}, lv: {}, ru: {} };
  for (const file of await found("**/messages.json")) {
    const messages: Messages = await Bun.file(web + file).json();
    for (const [key, texts] of Object.entries(messages)) {
      if (key in catalogues.en) throw new Error(`${file} declares ${key}, which another file has`);
      if (Object.keys(texts).join() !== LANGUAGES.join())
        throw new Error(
          `${file}: ${key} needs exactly the languages ${LANGUAGES.join(", ")}, in this order`,
        );
      for (const language of LANGUAGES) catalogues[language][key] = texts[language];
    }
  }
  return catalogues as Record<Language, Texts> as Record<Language, Catalogue>;
}

/** The server's messages in one language; English readers get them from the server. */
export async function serverMessagesIn(language: Language): Promise<Texts> {
  if (language === "en") return {};
  const { serverMessages }: { serverMessages: ServerMessages } = await import(
    `${web}i18n/server-messages.ts`
  );
  return Object.fromEntries(
    Object.entries(serverMessages).map(([key, texts]) => [key, texts[language]]),
  );
}

/** `pages/agents/new/page.meta.ts` → `agentsNew`. */
const nameOf = (file: string) =>
  file
    .replace(/^pages\/|\/[^/]+$/g, "")
    .replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase());

const imports = (files: readonly string[], what: string) =>
  files.map((file) => `import { ${what} as ${nameOf(file)} } from "../${file}";\n`).join("");

/** The declarations of every page, with the file below src/dashboard/web. */
export const pageMetas = async (): Promise<{ file: string; meta: PageMeta }[]> =>
  await Promise.all(
    (await found("pages/**/page.meta.ts")).map(async (file) => {
      const { meta }: { meta: PageMeta } = await import(web + file);
      return { file, meta };
    }),
  );

async function pageSources(): Promise<Record<string, string>> {
  const metas = await pageMetas();
  const files = metas.map(({ file }) => file);
  const routes: Record<"publicPage" | "insidePage", string[]> = { publicPage: [], insidePage: [] };
  for (const { file, meta } of metas) {
    const factory = meta.role === "public" ? "publicPage" : "insidePage";
    routes[factory].push(`  ${factory}(${nameOf(file)}),\n`);
  }
  return {
    "pages.gen.ts": `/** Every page, collected by scripts/dashboard-sources.ts. */
${imports(files, "meta")}
export const PAGES = [${files.map(nameOf).join(", ")}] as const;
`,
    "routes.gen.ts": `/** Every page's route, collected by scripts/dashboard-sources.ts. */
${imports(files, "meta")}import { insidePage, publicPage } from "../routes.tsx";

export const publicPages = [
${routes.publicPage.join("")}] as const;

export const insidePages = [
${routes.insidePage.join("")}] as const;
`,
  };
}

async function messageSources(): Promise<Record<string, string>> {
  const catalogues = await messageCatalogues();
  const sources: Record<string, string> = {
    "message-keys.gen.ts": `/** The keys of all texts, collected by scripts/dashboard-sources.ts. */
export type MessageKey =
${Object.keys(catalogues.en)
  .map((key) => `  | ${JSON.stringify(key)}`)
  .join("\n")};
`,
  };
  for (const language of LANGUAGES) {
    const texts = { ...catalogues[language], ...(await serverMessagesIn(language)) };
    sources[`${language}.gen.ts`] =
      `/** The texts in one language, collected by scripts/dashboard-sources.ts. */
export const texts = ${JSON.stringify(texts, null, 2)};
`;
  }
  return sources;
}

/**
 * Writes changed files only, so that the build's input hash and the type checker see no needless
 * changes.
 */
export async function generateDashboardSources(): Promise<void> {
  await mkdir(output, { recursive: true });
  const sources = { ...(await pageSources()), ...(await messageSources()) };
  for (const [name, text] of Object.entries(sources)) {
    const file = Bun.file(output + name);
    if (!(await file.exists()) || (await file.text()) !== text) await Bun.write(file, text);
  }
}
