import { afterEach, expect, test } from "bun:test";
import https from "node:https";
import { systemClock } from "../../src/core/clock.ts";
import { makeCertificates } from "../../src/demo/company/certificate.ts";

const HOST = "127.0.9.2";
const servers: { stop(force: boolean): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

async function serve(hostname: string): Promise<{ url: string; authority: string }> {
  const made = await makeCertificates(HOST, systemClock.now());
  const server = Bun.serve({
    hostname,
    port: 0,
    tls: { cert: made.certificate, key: made.key },
    fetch: () => new Response("hello"),
  });
  servers.push(server);
  return { url: `https://${hostname}:${server.port}/`, authority: made.authority };
}

const get = (url: string, ca: string | undefined) =>
  new Promise<number | undefined>((resolve, reject) => {
    https
      .get(url, { ca, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on("error", reject);
  });

test("a client that knows the authority trusts the server's certificate", async () => {
  const { url, authority } = await serve(HOST);
  expect(await get(url, authority)).toBe(200);
});

test("a client that does not know the authority refuses it", async () => {
  const { url } = await serve(HOST);
  await expect(get(url, undefined)).rejects.toThrow();
});

test("the certificate is for its own address only", async () => {
  const { url, authority } = await serve("127.0.9.3");
  await expect(get(url, authority)).rejects.toThrow();
});
