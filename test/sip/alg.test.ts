/** A SIP ALG between us and the provider: raw sockets that rewrite messages, as routers do. */
import { afterEach, expect, test } from "bun:test";
import type { SipStack } from "../../src/call/sip-port.ts";
import { assessTrunk } from "../../src/sip/trunk-checks.ts";
import { type AlgRouter, type Rewriter, startAlgRouter } from "../support/net/alg-router.ts";
import { type Registrar, startRegistrar } from "../support/sip/registrar.ts";
import { settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";

const OURS = "127.0.6.181";
const ROUTER = "127.0.6.182";
const FAR = "127.0.6.183";
/** The public address that a wrong ALG writes. */
const ELSEWHERE = "192.0.2.5:6060";

let stack: SipStack | undefined;
let router: AlgRouter | undefined;
let far: Registrar | undefined;
afterEach(async () => {
  await stack?.close();
  router?.close();
  far?.close();
});

async function signsBehind(rewriters: { out?: Rewriter; back?: Rewriter }) {
  far = await startRegistrar({
    host: FAR,
    password: () => "pw1001",
    intercept: ({ method }) => (method === "OPTIONS" ? { statusCode: 200 } : undefined),
  });
  router = await startAlgRouter({ host: ROUTER, upstream: far, ...rewriters });
  stack = await startStack(OURS);
  const { host: server, port } = router;
  const trunk = stack.addTrunk(trunkSettings({ server, port }));
  await settled(trunk);
  const { settings, registration } = trunk;
  const probe = await trunk.probe({ calls: false });
  const checks = assessTrunk({
    settings,
    registration,
    probe,
    codecs: ["PCMA"],
    externalIp: "auto",
  });
  const alg = checks.find(({ name }) => name === "alg");
  if (alg) expect(alg).toMatchObject({ result: "warning", remedy: expect.stringContaining("ALG") });
  expect(alg !== undefined).toBe(probe.algSigns.length > 0);
  expect(probe.call).toBeNull();
  return probe.algSigns;
}

const inLine =
  (name: RegExp, rewrite: (line: string, inside: string) => string): Rewriter =>
  (text, inside) =>
    text
      .split("\r\n")
      .map((line) => (name.test(line) ? rewrite(line, inside) : line))
      .join("\r\n");

test("a plain NAT gives no sign", async () => {
  expect(await signsBehind({})).toEqual([]);
});

test("an ALG that writes its own address into Contact is detected by the registrar's answer", async () => {
  const out = inLine(/^Contact:/, (line) => line.replace(/@[\d.]+:\d+/, `@${ELSEWHERE}`));
  expect(await signsBehind({ out })).toEqual(["contact"]);
});

test("a provider that replaces Contact with the seen address is not mistaken for an ALG", async () => {
  const seen: Rewriter = (text) => {
    const [, host, port] = /received=([\d.]+).*?/.test(text)
      ? [null, /received=([\d.]+)/.exec(text)?.[1], /rport=(\d+)/.exec(text)?.[1]]
      : [];
    if (!host || !port) return text;
    return inLine(/^Contact:/i, (line) => line.replace(/@[\d.]+:\d+/, `@${host}:${port}`))(
      text,
      "",
    );
  };
  expect(await signsBehind({ back: seen })).toEqual([]);
});

test("an ALG that rewrites Via without restoring it is detected by the answer's Via", async () => {
  const out = inLine(/^Via:/i, (line) => line.replace(/UDP [\d.]+:\d+/, `UDP ${ELSEWHERE}`));
  expect(await signsBehind({ out })).toEqual(["via"]);
});

test("an ALG that replaces our address everywhere is detected by Call-ID", async () => {
  const out: Rewriter = (text) => text.replaceAll(OURS, ELSEWHERE.split(":")[0] ?? "");
  const signs = await signsBehind({ out });
  expect(signs).toContain("call_id");
});
