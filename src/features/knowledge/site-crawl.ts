/**
 * Crawls a web site from its start address, by links and sitemaps.
 *
 * It stays on the host and below the start folder, obeys robots.txt and reads no page twice. It stops at its
 * limits of depth, pages, bytes and time. Pages that could not be read now, but may still exist, are reported
 * as `unread`. The HTTP client decides which addresses may be requested.
 */
import { type Clock, yieldToEventLoop } from "../../core/clock.ts";
import type { FieldReason } from "../../core/message-reasons.ts";
import {
  ADDRESS_CHARACTERS_MAX,
  type DocumentReader,
  type ReadDocument,
  SITEMAP_TYPE,
} from "./documents.ts";
import { withFooters } from "./footers.ts";
import { ROBOTS_BYTES_MAX, readRobots } from "./robots.ts";
import {
  type SiteProblem,
  siteError,
  siteProblem,
  statusError,
  tellsGone,
} from "./site-problems.ts";

interface SiteBounds {
  /** Maximum number of links from the start; 0: only the start page. */
  readonly depthMax: number;
  readonly pagesMax: number;
}

export interface SitePage {
  readonly url: string;
  readonly title: string;
  readonly markdown: string;
}

export interface SiteReading {
  readonly pages: readonly SitePage[];
  /** Pages that could not be read, and other problems. */
  readonly problems: readonly SiteProblem[];
  /** Known pages whose state is unknown: not reached, or no answer. */
  readonly unread: readonly string[];
}

/** No page of the site could be read. */
export class SiteNotRead extends Error {
  constructor(readonly problem: SiteProblem) {
    super(problem.message);
  }
}

/** Rejects if the request failed. Redirects are answers too. */
export type FetchPage = (url: string) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}>;

interface CrawlDependencies {
  readonly fetch: FetchPage;
  readonly tenantId: number;
  readonly reader: DocumentReader;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Pages of the previous crawl. */
  readonly known?: readonly string[];
}

const EMPTY: FieldReason = "document_empty";
const REDIRECTS_MAX = 5;
const SITEMAPS_MAX = 10;
const SITE_BYTES_MAX = 50 * 1024 * 1024;
const SITE_MS_MAX = 10 * 60_000;
const QUEUE_MAX = 20_000;
const FAILED_MAX = 50;
/** Addresses added before yielding to the event loop. */
const ADDED_A_TURN = 500;
const ALL_ALLOWED = readRobots("");

/** File extensions of files other than pages. */
const NO_PAGE =
  /\.(?:jpe?g|png|gif|svg|webp|avif|ico|css|js|mjs|json|xml|rss|zip|gz|mp[34]|webm|mov|avi|woff2?|ttf|exe|dmg|apk|docx?|xlsx?|pptx?)$/i;

/** Does not reject for a single page. Rejects with SiteNotRead if no page has text. */
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
  readonly #pages = new Map<string, { readonly page: SitePage; readonly footer: string }>();
  readonly #problems: SiteProblem[] = [];
  readonly #seen = new Set<string>();
  readonly #queue: Found[] = [];
  readonly #texts = new Set<string>();
  readonly #unread = new Set<string>();
  #robots = ALL_ALLOWED;
  #added = 0;
  #bytes = 0;
  #cut = false;
  /** True if a page or sitemap did not answer. */
  #hasGaps = false;
  readonly #endMs: number;

  constructor(
    private readonly start: URL,
    private readonly bounds: SiteBounds,
    private readonly deps: CrawlDependencies,
  ) {
    this.#endMs = deps.clock.monotonic() + SITE_MS_MAX;
  }

  async run(): Promise<SiteReading> {
    const { known = [] } = this.deps;
    if (this.bounds.depthMax > 0) await this.#readRobots();
    this.#add(this.start.href, 0);
    await this.#visitAll();
    const ofStart = this.#problems.find(({ url }) => url === plainUrl(this.start));
    if (this.#pages.size === 0)
      throw new SiteNotRead(ofStart ?? siteProblem(null, siteError("site_no_pages")));
    // Known pages may be linked only from failed pages, so request them directly.
    if (this.#hasGaps || this.#isOver())
      for (const url of known) if (!this.#pages.has(url)) this.#add(url, this.bounds.depthMax);
    await this.#visitAll();
    for (const { url } of this.#queue) this.#unread.add(url);
    const unread = known.filter((url) => this.#unread.has(url) && !this.#pages.has(url));
    const pages = await withFooters([...this.#pages.values()]);
    if (this.#cut)
      this.#problems.push(siteProblem(null, siteError("site_cut", { pages: pages.length })));
    return { pages, problems: this.#problems, unread };
  }

  async #visitAll(): Promise<void> {
    const { signal } = this.deps;
    for (let [next] = this.#queue; next; [next] = this.#queue) {
      if (signal?.aborted) throw new Error("the appliance is stopping");
      if (this.#pages.size >= this.bounds.pagesMax) {
        this.#cut = true;
        this.#queue.length = 0;
        return;
      }
      if (this.#isOver()) {
        this.#cut = true;
        this.#hasGaps = true;
        return;
      }
      this.#queue.shift();
      await this.#visit(next);
      if (next.depth === 0 && this.bounds.depthMax > 0) await this.#addSitemaps();
    }
  }

  #isOver(): boolean {
    return this.#bytes >= SITE_BYTES_MAX || this.deps.clock.monotonic() >= this.#endMs;
  }

  async #visit({ url, depth }: Found): Promise<void> {
    try {
      const answer = await this.#get(url);
      if (answer === null || this.#pages.has(answer.url)) return;
      this.#seen.add(answer.url);
      const page = await this.deps.reader.read(this.deps.tenantId, answer.body, {
        filename: "",
        contentType: answer.contentType,
      });
      this.#keep(answer.url, page);
      if (depth < this.bounds.depthMax && page.follows)
        await this.#follow(answer.url, page, depth + 1);
    } catch (error) {
      const problem = siteProblem(url, error);
      // A known page that is empty now keeps its old text.
      if (problem.reason === EMPTY && !this.deps.known?.includes(url)) return;
      if (this.#problems.length < FAILED_MAX) this.#problems.push(problem);
      if (tellsGone(problem)) return;
      this.#hasGaps = true;
      this.#unread.add(url);
    }
  }

  #keep(url: string, { title, markdown, footer, listed }: ReadDocument): void {
    // Two addresses with the same text count as one page.
    if (!listed || (markdown + footer).trim() === "" || this.#texts.has(markdown)) return;
    this.#texts.add(markdown);
    this.#pages.set(url, { page: { url, title, markdown }, footer });
  }

  async #follow(url: string, { links, base }: ReadDocument, depth: number): Promise<void> {
    const from = base !== null && URL.canParse(base, url) ? new URL(base, url).href : url;
    for (const link of links) {
      if (URL.canParse(link, from)) this.#add(new URL(link, from).href, depth);
      await this.#turn();
    }
  }

  /** Yields to the event loop at times: a page or sitemap may list thousands of addresses. */
  async #turn(): Promise<void> {
    this.#added++;
    if (this.#added % ADDED_A_TURN === 0) await yieldToEventLoop();
  }

  /** Null if it leads away from the site, is not a page, or is disallowed by robots.txt. */
  async #get(start: string) {
    let url = start;
    const passed = new Set<string>();
    for (let step = 0; step <= REDIRECTS_MAX; step++) {
      if (passed.has(url)) throw siteError("site_circle");
      passed.add(url);
      const { pathname, search } = new URL(url);
      if (this.#isSite(new URL(url)) && !this.#robots.allows(pathname + search)) {
        if (start === plainUrl(this.start)) throw siteError("site_robots");
        return null;
      }
      const { status, headers, body } = await this.deps.fetch(url);
      this.#bytes += body.byteLength;
      const { location } = headers;
      if (status >= 300 && status < 400 && location && URL.canParse(location, url)) {
        const next = plainUrl(new URL(location, url));
        if (!this.#isOwn(new URL(next)) && start !== plainUrl(this.start)) return null;
        url = next;
        continue;
      }
      if (status !== 200) throw statusError(status);
      const contentType = headers["content-type"] ?? "text/html";
      if (!/^(?:text\/html|application\/(?:xhtml\+xml|pdf))\b/i.test(contentType)) return null;
      const hint = contentType.startsWith("application/pdf") ? "" : contentType;
      return { url, contentType: hint, body: new Uint8Array(body) };
    }
    throw siteError("site_redirects");
  }

  #add(text: string, depth: number): void {
    const url = new URL(text);
    const plain = plainUrl(url);
    if (plain.length > ADDRESS_CHARACTERS_MAX) return;
    if (!this.#isOwn(url) || NO_PAGE.test(url.pathname) || this.#seen.has(plain)) return;
    if (this.#seen.size >= QUEUE_MAX) {
      this.#cut = true;
      return;
    }
    this.#seen.add(plain);
    this.#queue.push({ url: plain, depth });
  }

  /** True for addresses on the same host, below the start folder. */
  #isOwn(url: URL): boolean {
    const folder = this.start.pathname.replace(/[^/]*$/, "");
    const isWeb = url.protocol === "https:" || url.protocol === this.start.protocol;
    return isWeb && this.#isSite(url) && url.pathname.startsWith(folder);
  }

  #isSite(url: URL): boolean {
    const host = (of: URL) => `${of.hostname.replace(/^www\./, "")}:${of.port}`;
    return host(url) === host(this.start);
  }

  /** Rejects if it should exist but cannot be read (RFC 9309, 2.3.1.4). */
  async #readRobots(): Promise<void> {
    const url = new URL("/robots.txt", this.start).href;
    try {
      const answer = await this.#getPlain(url);
      if (answer.status >= 500) throw statusError(answer.status);
      // Cut before decoding: a site may send megabytes.
      if (answer.status === 200)
        this.#robots = readRobots(
          new TextDecoder().decode(answer.body.subarray(0, ROBOTS_BYTES_MAX)),
        );
    } catch (error) {
      throw new SiteNotRead(siteProblem(url, error));
    }
  }

  /** Pages from sitemaps have the depth of links from the start. */
  async #addSitemaps(): Promise<void> {
    const named = this.#robots.sitemaps.filter((url) => this.#isSitemap(url));
    const waiting = [...named, new URL("/sitemap.xml", this.start).href];
    const read = new Set<string>();
    while (read.size < SITEMAPS_MAX && !this.#isOver()) {
      const url = waiting.shift();
      if (url === undefined) return;
      if (read.has(url)) continue;
      read.add(url);
      const found = await this.#readSitemap(url);
      waiting.push(...found.sitemaps.filter((address) => this.#isSitemap(address)));
      for (const link of found.links) {
        if (URL.canParse(link)) this.#add(link, 1);
        await this.#turn();
      }
    }
  }

  #isSitemap = (url: string): boolean => URL.canParse(url) && this.#isSite(new URL(url));

  async #readSitemap(url: string): Promise<Pick<ReadDocument, "links" | "sitemaps">> {
    const nothing = { links: [], sitemaps: [] };
    try {
      const { status, body } = await this.#getPlain(url);
      if (status >= 500 || status === 429) this.#hasGaps = true;
      if (status !== 200) return nothing;
      const hint = { filename: "", contentType: SITEMAP_TYPE };
      return await this.deps.reader.read(this.deps.tenantId, new Uint8Array(body), hint);
    } catch {
      this.#hasGaps = true;
      return nothing;
    }
  }

  /** Follows redirects on the same host. */
  async #getPlain(start: string): ReturnType<FetchPage> {
    let url = start;
    for (let step = 0; ; step++) {
      const answer = await this.deps.fetch(url);
      this.#bytes += answer.body.byteLength;
      const { location } = answer.headers;
      const isMoved = answer.status >= 300 && answer.status < 400 && location !== undefined;
      const next = isMoved && URL.canParse(location, url) ? new URL(location, url) : null;
      if (next === null || !this.#isSite(next) || step === REDIRECTS_MAX) return answer;
      url = plainUrl(next);
    }
  }
}

/** URL without its fragment. */
function plainUrl(url: URL): string {
  const plain = new URL(url);
  plain.hash = "";
  return plain.href;
}
