/**
 * A malicious site, on real sockets: it reaches nothing in our network, blocks nothing, and affects only itself.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { readSite, type SiteNotRead } from "../../src/features/knowledge/site-crawl.ts";
import { SafeHttpClient } from "../../src/platform/net/outbound-http.ts";
import { readDocumentHere } from "../support/documents.ts";
import { fakeClock } from "../support/fake-clock.ts";
import {
  answer,
  type HttpsReceiver,
  httpsReceiver,
  type Responder,
} from "../support/net/https-receiver.ts";
import { testCa } from "../support/net/test-ca.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.42.0.1";
/** A host that must not be reached. */
const INNER = "127.42.0.2";
let receiver: HttpsReceiver;
let reached = 0;
let innerPort = 0;
let client: SafeHttpClient;
const inner = createServer((socket) => {
  reached++;
  socket.destroy();
});
/** The name's addresses, one per look-up. */
const flipping = [HOST, INNER];
const addressesOf: Readonly<Record<string, () => string>> = {
  "site.test": () => HOST,
  "inner.test": () => INNER,
  "flip.test": () => flipping.shift() ?? INNER,
};

beforeAll(async () => {
  const ca = testCa(tempDir());
  const names = Object.keys(addressesOf).map((name) => `DNS:${name}`);
  receiver = await httpsReceiver(ca.issue([...names, `IP:${INNER}`]), answer(404), HOST);
  await new Promise<void>((done) => inner.listen(0, INNER, done));
  innerPort = (inner.address() as { port: number }).port;
  client = new SafeHttpClient({
    allowNetworks: [`${HOST}/32`],
    caPem: ca.caPem,
    resolve(name, done) {
      const address = addressesOf[name]?.();
      done(address ? null : new Error("unknown"), address ? [{ address, family: 4 }] : []);
    },
  });
});
afterAll(async () => {
  inner.close();
  await receiver.close();
});

const html = (body: string): Responder =>
  answer(200, `<html>${body}`, { "content-type": "text/html" });

async function read(paths: Readonly<Record<string, Responder>>, start = "https://site.test") {
  receiver.requests.length = 0;
  receiver.respond = (request, response) => (paths[request.path] ?? answer(404))(request, response);
  const reading = await readSite(
    `${start}:${receiver.port}/`,
    { depthMax: 3, pagesMax: 50 },
    {
      fetch: (url) =>
        client.request({
          method: "GET",
          url,
          body: "",
          headers: {},
          mayReuse: true,
          timeoutMs: 500,
          responseBytesMax: 200_000,
        }),
      tenantId: 1,
      reader: { read: readDocumentHere },
      clock: fakeClock(),
    },
  ).catch((error) => (error as SiteNotRead).problem.reason);
  if (reading === null || typeof reading === "string") return reading;
  return {
    pages: reading.pages.map(({ markdown }) => markdown),
    problems: reading.problems.map(({ reason }) => reason),
  };
}

const inside = (address: string) => `https://${address}:${innerPort}/`;

test.each([
  ["an address of ours", () => inside(INNER)],
  ["one mapped into IPv6", () => inside("[::ffff:127.42.0.2]")],
  ["one in hexadecimal IPv6", () => inside("[::ffff:7f2a:2]")],
  ["one as a number", () => inside("2133458946")],
  ["one in octal", () => inside("0177.052.0.2")],
  ["the loopback", () => inside("127.0.0.1")],
  ["the loopback in IPv6", () => inside("[::1]")],
  ["the host's metadata", () => "https://169.254.169.254/latest/meta-data/"],
  ["a link-local address", () => inside("[fe80::1]")],
  ["a private network", () => inside("10.0.0.1")],
  ["a name that leads there", () => inside("inner.test")],
  ["the same by plain http", () => `http://inner.test:${innerPort}/`],
  ["a file", () => "file:///etc/passwd"],
])("its first page leads to %s: nothing is reached", async (_, location) => {
  const moved = answer(302, "", { location: location() });
  const refused = ["site_address", "site_connection", "site_name", "site_no_pages"];
  expect(refused).toContain(String(await read({ "/": moved })));
  // Its sitemap and robots.txt may not lead there either.
  const paths = { "/": html("<p>Home"), "/robots.txt": moved, "/sitemap.xml": moved };
  expect(await read(paths)).toEqual({ pages: ["Home"], problems: [] });
  expect(reached).toBe(0);
});

test("a name that resolves to another address the second time is checked again", async () => {
  const paths = { "/robots.txt": answer(404, "", { connection: "close" }), "/": html("<p>Home") };
  expect(await read(paths, "https://flip.test")).toBe("site_address");
  expect(reached).toBe(0);
});

test("pages that never end, swell, loop or break off do not affect the others", async () => {
  const links = ["slow", "bomb", "big", "loop", "broken", "liar", "good"];
  const page = "text/html; charset=utf-8";
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const { pages, problems } = (await read({
    "/": html(`<p>Home</p>${links.map((path) => `<a href="/${path}"></a>`).join("")}`),
    "/slow"(_, response) {
      response.writeHead(200, { "content-type": page });
      const drip = setInterval(() => response.write("a"), 50);
      response.on("close", () => clearInterval(drip));
    },
    "/bomb"(_, response) {
      response.writeHead(200, { "content-type": page, "content-encoding": "gzip" });
      response.end(bomb);
    },
    "/big": answer(200, "a".repeat(200_001), { "content-type": page }),
    "/loop": answer(302, "", { location: "/loop" }),
    "/broken"(_, response) {
      response.writeHead(200, { "content-type": page, "content-length": "1000" });
      response.write("a");
      setTimeout(() => response.destroy(), 20);
    },
    "/liar": answer(200, "\u0000\u0001PNG\u0000", { "content-type": page }),
    "/good": html("<p>Good"),
  })) as Exclude<Awaited<ReturnType<typeof read>>, string | null>;
  expect(pages).toEqual(["Home", "Good"]);
  expect(problems).toEqual([
    ...["site_time", "site_large", "site_large", "site_circle"],
    expect.stringMatching(/^site_(?:answer|connection)$/),
    "document_unsupported",
  ]);
});

test("a page with 10,000 links blocks nothing and is read within its limits", async () => {
  const links = Array.from({ length: 10_000 }, (_, at) => `<a href="${at}">`).join("");
  const paths: Record<string, Responder> = { "/": html(`<p>Home</p>${links}`) };
  for (let at = 0; at < 100; at++) paths[`/${at}`] = html(`<p>Page ${at}`);
  const { pages } = (await read(paths)) as { pages: readonly string[] };
  expect(pages).toHaveLength(50);
  expect(receiver.requests.length).toBeLessThan(55);
});
