/**
 * Reads the pages of a web site: from its start address by links, and by its sitemap. It stays on the host
 * and below the folder it began in, reads no page twice whatever its links and redirects, and ends at its
 * bounds of depth, pages, bytes and time. What may be requested at all, the HTTP client decides.
 */
import type { Clock } from "../../core/clock.ts";
import { AppError, describeError } from "../../core/errors.ts";
import type { DocumentReader, ReadDocument } from "./documents.ts";

interface SiteBounds {
  /** Links from the start; 0: the start alone. */
  readonly depthMax: number;
  readonly pagesMax: number;
}

export interface SitePage {
  readonly url: string;
  readonly title: string;
  readonly markdown: string;
}

interface SiteReading {
  readonly pages: readonly SitePage[];
  /** Pages that could not be read, and why. */
  readonly failed: readonly { readonly url: string; readonly problem: string }[];
  /** There was more than the bounds allow. */
  readonly cut: boolean;
}

/** Rejects where nothing came of the request. Redirects are answers. */
export type FetchPage = (url: string) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}>;

interface CrawlDependencies {
  readonly fetch: FetchPage;
  readonly reader: DocumentReader;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

const REDIRECTS_MAX = 5;
const SITEMAPS_MAX = 10;
const SITE_BYTES_MAX = 50 * 1024 * 1024;
const SITE_MS_MAX = 10 * 60_000;
const QUEUE_MAX = 20_000;
const FAILED_MAX = 50;
/** Files that are no pages. */
const NO_PAGE =
  /\.(?:jpe?g|png|gif|svg|webp|avif|ico|css|js|mjs|json|xml|rss|zip|gz|mp[34]|webm|mov|avi|woff2?|ttf|exe|dmg|apk|docx?|xlsx?|pptx?)$/i;

/** Never rejects for a page; rejects if the start cannot be read. */
export async function readSite(
  start: string,
  bounds: SiteBounds,
  deps: CrawlDependencies,
): Promise<SiteReading> {
  return await new Crawl(new URL(start), bounds, deps).run();
}

interface Found {
  readonly url: string;
  readonly depth: number;
}

class Crawl {
  readonly #pages = new Map<string, SitePage>();
  readonly #failed: { url: string; problem: string }[] = [];
  readonly #seen = new Set<string>();
  readonly #queue: Found[] = [];
  readonly #texts = new Set<string>();
  #bytes = 0;
  #cut = false;

  constructor(
    private readonly start: URL,
    private readonly bounds: SiteBounds,
    private readonly deps: CrawlDependencies,
  ) {}

  async run(): Promise<SiteReading> {
    const { clock, signal } = this.deps;
    const endMs = clock.monotonic() + SITE_MS_MAX;
    this.#add(this.start.href, 0);
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if (signal?.aborted) throw new Error("the appliance is stopping");
      const isFull = this.#pages.size >= this.bounds.pagesMax || this.#bytes >= SITE_BYTES_MAX;
      if (isFull || clock.monotonic() >= endMs) {
        this.#cut = true;
        break;
      }
      await this.#visit(next);
      if (next.depth === 0 && this.bounds.depthMax > 0) await this.#addSitemap();
    }
    const [failed] = this.#failed;
    if (this.#pages.size === 0 && failed) throw startRefused(failed.problem);
    return { pages: [...this.#pages.values()], failed: this.#failed, cut: this.#cut };
  }

  async #visit({ url, depth }: Found): Promise<void> {
    try {
      const answer = await this.#get(url);
      if (answer === null || this.#pages.has(answer.url)) return;
      this.#seen.add(answer.url);
      const page = await this.deps.reader.read(answer.body, {
        filename: "",
        contentType: answer.contentType,
      });
      this.#keep(answer.url, page);
      if (depth < this.bounds.depthMax && page.follows) this.#follow(answer.url, page, depth + 1);
    } catch (error) {
      const problem = error instanceof AppError ? error.publicMessage : describeError(error);
      if (this.#failed.length < FAILED_MAX) this.#failed.push({ url, problem });
    }
  }

  #keep(url: string, { title, markdown, listed }: ReadDocument): void {
    // The same text at two addresses is one page.
    if (!listed || markdown.trim() === "" || this.#texts.has(markdown)) return;
    this.#texts.add(markdown);
    this.#pages.set(url, { url, title, markdown });
  }

  #follow(url: string, { links, base }: ReadDocument, depth: number): void {
    const from = base !== null && URL.canParse(base, url) ? new URL(base, url).href : url;
    for (const link of links)
      if (URL.canParse(link, from)) this.#add(new URL(link, from).href, depth);
  }

  /** null: it leads away from the site, or is no page. */
  async #get(start: string) {
    let url = start;
    const passed = new Set<string>();
    for (let step = 0; step <= REDIRECTS_MAX; step++) {
      if (passed.has(url)) throw new Error("its redirects go in a circle");
      passed.add(url);
      const { status, headers, body } = await this.deps.fetch(url);
      this.#bytes += body.byteLength;
      const { location } = headers;
      if (status >= 300 && status < 400 && location && URL.canParse(location, url)) {
        const next = plainUrl(new URL(location, url));
        if (!this.#isOwn(new URL(next)) && start !== plainUrl(this.start)) return null;
        url = next;
        continue;
      }
      if (status !== 200) throw new Error(`it answered ${status}`);
      const contentType = headers["content-type"] ?? "text/html";
      if (!/^(?:text\/html|application\/(?:xhtml\+xml|pdf))\b/i.test(contentType)) return null;
      const hint = contentType.startsWith("application/pdf") ? "" : contentType;
      return { url, contentType: hint, body: Uint8Array.from(body) };
    }
    throw new Error("it redirects too often");
  }

  #add(text: string, depth: number): void {
    const url = new URL(text);
    const plain = plainUrl(url);
    if (!this.#isOwn(url) || NO_PAGE.test(url.pathname) || this.#seen.has(plain)) return;
    if (this.#seen.size >= QUEUE_MAX) {
      this.#cut = true;
      return;
    }
    this.#seen.add(plain);
    this.#queue.push({ url: plain, depth });
  }

  /** On the same host, below the folder of the start. */
  #isOwn(url: URL): boolean {
    const folder = this.start.pathname.replace(/[^/]*$/, "");
    const host = (of: URL) => `${of.hostname.replace(/^www\./, "")}:${of.port}`;
    const isWeb = url.protocol === "https:" || url.protocol === this.start.protocol;
    return isWeb && host(url) === host(this.start) && url.pathname.startsWith(folder);
  }

  /** Its pages count as links from the start. */
  async #addSitemap(): Promise<void> {
    const waiting = [new URL("/sitemap.xml", this.start).href];
    const read = new Set<string>();
    while (read.size < SITEMAPS_MAX) {
      const url = waiting.shift();
      if (url === undefined) return;
      if (read.has(url)) continue;
      read.add(url);
      const answer = await this.deps.fetch(url).catch(() => null);
      if (answer?.status !== 200) continue;
      this.#bytes += answer.body.byteLength;
      const xml = new TextDecoder().decode(answer.body);
      for (const [, isMap, address = ""] of xml.matchAll(LOCATIONS)) {
        const found = address.trim().replaceAll("&amp;", "&");
        if (!URL.canParse(found)) continue;
        if (isMap && this.#isOwnHost(found)) waiting.push(found);
        else if (!isMap) this.#add(found, 1);
      }
    }
  }

  #isOwnHost = (url: string): boolean => new URL(url).host === this.start.host;
}

const LOCATIONS = /<(?:(sitemap)|url)>\s*<loc>\s*([^<]{1,2000}?)\s*<\/loc>/g;

/** Without its fragment. */
function plainUrl(url: URL): string {
  const plain = new URL(url);
  plain.hash = "";
  return plain.href;
}

const startRefused = (problem: string) =>
  new AppError({
    code: "unavailable",
    publicMessage: `The site's first page could not be read: ${problem}`,
  });
