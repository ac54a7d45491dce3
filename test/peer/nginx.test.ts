/**
 * nginx before the appliance, with the configuration of docs/proxy.md: HTTPS, WebSockets, the client's address.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { type Appliance, startAppliance } from "../support/appliance/appliance.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import type { Browser } from "../support/browser/dashboard-session.ts";
import { eventually } from "../support/eventually.ts";
import { testCa } from "../support/net/test-ca.ts";
import { peerPath, requirePeer } from "../support/peers.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const HOST = "127.0.9.91";
const PROXY = "127.0.9.93";
const PORT = 28_443;
const PUBLIC_URL = `https://${PROXY}:${PORT}`;
const hasNginx = requirePeer("nginx");
const documented = /```nginx\n([\s\S]*?)```/.exec(
  readFileSync(join(import.meta.dir, "../../docs/proxy.md"), "utf8"),
)?.[1];

let world: Appliance;
let owner: Browser;
let nginx: Subprocess;
let caPem = "";

/** The page's configuration with our addresses, inside the frame of Debian's nginx.conf. */
function configuration(directory: string, upstream: string): string {
  const ca = testCa(directory);
  caPem = ca.caPem;
  const { cert, key } = ca.issue([`IP:${PROXY}`]);
  writeFileSync(join(directory, "cert.pem"), cert);
  writeFileSync(join(directory, "key.pem"), key);
  const server = (documented ?? "")
    .replace("listen 443 ssl", `listen ${PROXY}:${PORT} ssl`)
    .replace("server_name voice.example.com", `server_name ${PROXY}`)
    .replace(/ssl_certificate .+;/, `ssl_certificate ${directory}/cert.pem;`)
    .replace(/ssl_certificate_key .+;/, `ssl_certificate_key ${directory}/key.pem;`)
    .replace("proxy_pass http://127.0.0.1:8080;", `proxy_bind ${PROXY}; proxy_pass ${upstream};`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(" ");
  return `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; worker_processes 1;
events {} http { access_log off; ${paths}\n${server}}`;
}

beforeAll(async () => {
  if (!hasNginx) return;
  const directory = tempDir();
  mkdirSync(join(directory, "nginx"));
  world = await startAppliance({
    dataDir: directory,
    host: HOST,
    settings: (settings) => ({
      ...settings,
      http: { ...settings.http, trustedProxies: [PROXY] },
    }),
  });
  owner = await browserOf(world.app, { tenantId: world.tenantId });
  const file = join(directory, "nginx/nginx.conf");
  writeFileSync(file, configuration(join(directory, "nginx"), world.app.addresses.http));
  nginx = Bun.spawn([peerPath("nginx"), "-c", file, "-p", directory, "-e", "stderr"], {
    stderr: "inherit",
  });
  await eventually(
    () =>
      through("/healthz").then(
        ({ ok }) => ok,
        () => false,
      ),
    "nginx passes requests on",
  );
});
afterAll(async () => {
  nginx?.kill();
  await nginx?.exited;
  await world?.close();
});

const through = (path: string, headers: Record<string, string> = {}) =>
  fetch(PUBLIC_URL + path, { headers, tls: { ca: caPem } });

describe.skipIf(!hasNginx)("behind nginx", () => {
  test("a signed-in person is recognised, over HTTPS", async () => {
    const answer = await through("/api/dashboard/session", { cookie: owner.cookie ?? "" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("strict-transport-security")).not.toBe("");
  });

  test("a WebSocket opens and reports that it is ready", async () => {
    const messages: string[] = [];
    const socket = new WebSocket(`${PUBLIC_URL.replace("https", "wss")}/api/dashboard/ws`, {
      headers: { cookie: owner.cookie ?? "", origin: PUBLIC_URL },
      tls: { ca: caPem },
    } as unknown as string[]);
    socket.onmessage = ({ data }) => void messages.push(String(data));
    await eventually(
      () => messages.some((text) => text.includes('"ready"')),
      "the socket is ready",
    );
    socket.close();
  });

  test("a key limited to the client's network works, and one for another network does not", async () => {
    const keyFor = async (network: string) => {
      const answer = await owner.fetch("POST", "/api/v1/keys", {
        label: "net",
        networks: [network],
      });
      return (answer.json as { key: { secret: string } }).key.secret;
    };
    const status = async (network: string) =>
      (await through("/api/v1/tenant", { authorization: `Bearer ${await keyFor(network)}` }))
        .status;
    // The client is 127.0.0.1, the proxy is another address.
    expect([await status("127.0.0.1/32"), await status(`${PROXY}/32`)]).toEqual([200, 401]);
  });
});
