/**
 * Builds the documentation site from docs/: src/dashboard/dist/docs.pack, which the binary serves
 * at `/docs/`. Each page exists as HTML and as Markdown; docs/README.md defines the order and the
 * groups. The pack also has the API reference with its viewer, the search index and `llms.txt`.
 * Deterministic.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked, type Token, type Tokens } from "marked";
import { apiReference } from "./api-examples.ts";
import { type PackedFile, packed } from "./pack.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const web = `${root}src/dashboard/docs-site`;
const viewer = `${root}node_modules/swagger-ui-dist`;
const output = `${root}src/dashboard/dist`;
const packFile = `${output}/docs.pack`;
const stampFile = `${output}/docs-stamp`;
const REPOSITORY = "https://github.com/linevoice/linevoice/blob/main/";
const SUMMARY =
  "A self-hosted AI voice agent for the telephone: one binary that registers to your own VoIP provider, answers and places calls, and mails what was said.";
const INPUTS = [
  "docs/**/*",
  "src/dashboard/docs-site/*",
  "scripts/{docs-site,api-examples,pack}.ts",
];

interface Page {
  /** Path below `/docs/`, without an extension; empty: the index. */
  readonly path: string;
  /** File below docs/. */
  readonly file: string;
  readonly title: string;
  readonly text: string;
}

interface SearchEntry {
  readonly id: number;
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

interface Group {
  readonly title: string;
  readonly entries: readonly {
    readonly page: Page;
    readonly name: string;
    readonly about: string;
  }[];
}

const pathOf = (file: string) =>
  file
    .replace(/\.md$/, "")
    .replace(/(^|\/)README$/, "")
    .replace(/\/$/, "");
const urlOf = (path: string) => `/docs/${path}`;
const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

async function pages(): Promise<Page[]> {
  const files = await Array.fromAsync(new Bun.Glob("**/*.md").scan({ cwd: `${root}docs` }));
  const read = files.sort().map(async (file) => {
    const text = await Bun.file(`${root}docs/${file}`).text();
    return { path: pathOf(file), file, text };
  });
  const all = [
    ...(await Promise.all(read)),
    { path: "api-reference", file: "api-reference.md", text: apiReference() },
  ];
  return all.map((page) => ({
    ...page,
    title: plain(/^# (.+)$/m.exec(page.text)?.[1] ?? page.path),
  }));
}

const plain = (markdown: string) =>
  markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");

/** Generates heading ids like GitHub, so that links work in both places. */
function slugs(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const slug = plain(heading)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}

/** Target of a page's link on the site. Links to files outside docs/ lead to the repository. */
function linkFrom(page: Page, href: string, known: ReadonlySet<string>): string {
  if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
  const [target = "", anchor] = href.split("#");
  const file = posix.normalize(posix.join("docs", posix.dirname(page.file), target));
  const below = file.startsWith("docs/") ? file.slice("docs/".length) : null;
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (below === null) return `${REPOSITORY}${file}${hash}`;
  const path = pathOf(below.endsWith("/") ? `${below}README.md` : below);
  if (known.has(path)) return `${urlOf(path)}${hash}`;
  if (/\.(?:png|svg|json)$/.test(below)) return urlOf(below);
  return `${REPOSITORY}${file}${hash}`;
}

function htmlOf(page: Page, known: ReadonlySet<string>): { html: string; contents: string } {
  const slugOf = slugs();
  const contents: string[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = slugOf(text);
        if (depth === 2) contents.push(`<li><a href="#${id}">${escaped(plain(text))}</a></li>`);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escaped(linkFrom(page, href, known))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escaped(linkFrom(page, href, known))}" alt="${escaped(text)}">`;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
      },
    },
  });
  const body = marked.parse(page.text, { async: false });
  // Let wide tables scroll separately.
  const html = body
    .replace(/<table>/g, '<div class="table" tabindex="0"><table>')
    .replace(/<\/table>/g, "</table></div>");
  return { html, contents: contents.length > 2 ? `<ul>${contents.join("")}</ul>` : "" };
}

/** The text below each heading. */
function searchEntries(page: Page, from: number): SearchEntry[] {
  const slugOf = slugs();
  const entries: { url: string; heading: string; text: string }[] = [];
  for (const token of new Marked().lexer(page.text)) {
    if (token.type === "heading") {
      const { text } = token as Tokens.Heading;
      const url = `${urlOf(page.path)}#${slugOf(text)}`;
      entries.push({ url, heading: plain(text), text: "" });
      continue;
    }
    const last = entries.at(-1);
    if (last) last.text += ` ${words(token)}`;
  }
  return entries.map((entry, at) => ({ id: from + at, page: page.title, ...entry }));
}

const words = (token: Token) =>
  plain(token.raw)
    .replace(/<[^>]+>/g, " ")
    .replace(/[|\s-]+/g, " ")
    .trim();

/** The groups of docs/README.md: a heading, and one row per page. */
function groupsOf(all: readonly Page[]): Group[] {
  const index = all.find(({ path }) => path === "");
  return (index?.text ?? "")
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf("\n")),
      entries: [...part.matchAll(/^\| \[([^\]]*)\]\(([^)#]+)\) \| (.+) \|$/gm)].flatMap(
        ([, name = "", href = "", about = ""]) => {
          const path = href === "/docs/api-reference" ? "api-reference" : pathOf(href);
          const page = all.find((each) => each.path === path);
          return page ? [{ page, name, about: plain(about) }] : [];
        },
      ),
    }));
}

const navigation = (groups: readonly Group[], current: Page) =>
  groups
    .map(({ title, entries }) => {
      const links = entries.map(({ page, name }) => {
        const here = page.path === current.path ? ' aria-current="page"' : "";
        return `<li><a href="${urlOf(page.path)}"${here}>${escaped(name)}</a></li>`;
      });
      return `<h2>${escaped(title)}</h2><ul>${links.join("")}</ul>`;
    })
    .join("");

async function builtSite(all: readonly Page[]): Promise<PackedFile[]> {
  const script = await Bun.build({
    entrypoints: [`${web}/site.ts`],
    target: "browser",
    minify: true,
  });
  const template = await Bun.file(`${web}/page.html`).text();
  const groups = groupsOf(all);
  const known = new Set(all.map(({ path }) => path));
  const encode = (text: string) => new TextEncoder().encode(text);
  const files: PackedFile[] = [
    { name: "site.js", bytes: encode((await script.outputs[0]?.text()) ?? "") },
    { name: "site.css", bytes: await Bun.file(`${web}/site.css`).bytes() },
    { name: "viewer.html", bytes: await Bun.file(`${web}/viewer.html`).bytes() },
    { name: "viewer/start.js", bytes: await Bun.file(`${web}/viewer.js`).bytes() },
  ];
  for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"])
    files.push({ name: `viewer/${name}`, bytes: await Bun.file(`${viewer}/${name}`).bytes() });
  const entries: SearchEntry[] = [];
  for (const page of all) {
    const { html, contents } = htmlOf(page, known);
    const source = page.path === "" ? "index.md" : `${page.path}.md`;
    const text = template
      .replaceAll("%title%", () => escaped(page.title))
      .replace("%navigation%", () => navigation(groups, page))
      .replace("%contents%", () => contents)
      .replace("%source%", urlOf(source))
      .replace("%page%", () => html);
    files.push({
      name: page.path === "" ? "index.html" : `${page.path}.html`,
      bytes: encode(text),
    });
    files.push({ name: source, bytes: encode(page.text) });
    // Exclude the phonemes from the search.
    if (!page.path.startsWith("spoken/")) entries.push(...searchEntries(page, entries.length));
  }
  files.push({ name: "search.json", bytes: encode(JSON.stringify(entries)) });
  files.push({ name: "llms.txt", bytes: encode(llms(groups)) });
  const texts = groups.flatMap(({ entries: pages }) => pages.map(({ page }) => page.text));
  for (const [, image = ""] of texts.join("\n").matchAll(/\]\((images\/[\w.-]+)\)/g))
    files.push({ name: image, bytes: await Bun.file(`${root}docs/${image}`).bytes() });
  return files;
}

/** https://llmstxt.org */
const llms = (groups: readonly Group[]) =>
  `# Linevoice\n\n> ${SUMMARY}\n\n${groups
    .map(
      ({ title, entries }) =>
        `## ${title}\n\n${entries
          .map(({ page, name, about }) => `- [${name}](${urlOf(page.path)}.md): ${about}`)
          .join("\n")}\n`,
    )
    .join("\n")}`;

async function inputHash(): Promise<string> {
  const hash = createHash("sha256").update(await Bun.file(`${root}package-lock.json`).bytes());
  for (const pattern of INPUTS) {
    const files = (await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: root }))).sort();
    for (const file of files) hash.update(file).update(await Bun.file(root + file).bytes());
  }
  return hash.digest("hex");
}

/** Returns false if the pack was up to date. */
export async function buildDocsSite(): Promise<boolean> {
  const hash = await inputHash();
  if (existsSync(packFile) && existsSync(stampFile) && (await Bun.file(stampFile).text()) === hash)
    return false;
  await mkdir(output, { recursive: true });
  await Bun.write(`${packFile}.new`, packed(await builtSite(await pages())));
  await rename(`${packFile}.new`, packFile);
  await Bun.write(stampFile, hash);
  return true;
}
