/** A TCP or TLS connection that dies without a FIN or RST: bytes are sent, none come back. */
import { afterEach, describe, expect, test } from "bun:test";
import type { OutgoingLeg, SipStack, Trunk, TrunkSettings } from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import type { ResponseParts, SipRequest } from "../../src/sip/message/index.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { testCa } from "../support/net/test-ca.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { endOf, startStack, trunkSettings } from "../support/sip/sip-stack.ts";
import {
  contactEchoed,
  type StreamRegistrar,
  type StreamRegistrarOptions,
  startStreamRegistrar,
} from "../support/sip/stream-registrar.ts";
import { tempDir } from "../support/temp-dir.ts";

const OURS = "127.0.78.1";
const FAR = "127.0.78.2";
/** Maximum time until calls succeed again. */
const RECOVERY_MS_MAX = 20_000;

let stack: SipStack | undefined;
let registrar: StreamRegistrar;
let clock: FakeClock;
afterEach(async () => {
  await Promise.race([stack?.close(), Bun.sleep(100)]);
  await registrar.close();
});

/** Declines every call as busy, and accepts the rest. */
const busy = (request: SipRequest): ResponseParts | null => {
  if (request.method === "ACK") return null;
  return request.method === "INVITE" ? { statusCode: 486, toTag: "far" } : contactEchoed(request);
};
const ignoring =
  (...methods: string[]) =>
  (request: SipRequest) =>
    methods.includes(request.method) ? null : busy(request);

async function trunkOver(
  options: StreamRegistrarOptions = {},
  settings: Partial<TrunkSettings> = {},
): Promise<Trunk> {
  clock = fakeClock();
  const ca = testCa(tempDir());
  const tls = settings.transport === "tls" ? { tls: ca.issue([`IP:${FAR}`]) } : {};
  registrar = await startStreamRegistrar(FAR, { answer: busy, ...tls, ...options });
  stack = await startStack(OURS, undefined, { tlsCa: ca.caPem }, { clock });
  const trunk = stack.addTrunk(
    trunkSettings({ server: FAR, port: registrar.port, transport: "tcp", ...settings }),
  );
  if (trunk.registration.name === "registering")
    await until(() => trunk.registration.name === "registered", "the registration");
  return trunk;
}

const place = (trunk: Trunk): OutgoingLeg =>
  trunk.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media: { host: OURS, port: 40_000 },
    ringTimeoutMs: 60_000,
  });

/** Advances time until the condition holds. Returns the time by the test's clock. */
async function until(holds: () => boolean, what: string): Promise<number> {
  const startedAtMs = clock.elapsedMs;
  while (!holds()) {
    if (clock.elapsedMs - startedAtMs > 120_000) throw new Error(`never happened: ${what}`);
    await clock.advance(200);
    await Bun.sleep(3);
  }
  return clock.elapsedMs - startedAtMs;
}

/** Advances the clock in small steps, so that answers arrive in between. */
async function pass(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 500) {
    await clock.advance(500);
    await Bun.sleep(2);
  }
}

async function outcomeOf(leg: OutgoingLeg): Promise<{ kind: string; tookMs: number }> {
  let kind = "";
  void endOf(leg).then((end) => {
    kind = end.kind;
  });
  const tookMs = await until(() => kind !== "", "the end of the call");
  return { kind, tookMs };
}

const sent = (method: string) =>
  registrar.requests.filter(({ request }) => request.method === method);

describe("a call over a connection that died silently", () => {
  test.each([
    ["TCP, registered, pings answered before", { pongs: true }, { transport: "tcp" }],
    ["TCP, registered, pings never answered", {}, { transport: "tcp" }],
    ["TLS, registered, pings never answered", {}, { transport: "tls" }],
  ] as const)("%s: succeeds over a new one within the same attempt", async (_, far, own) => {
    const trunk = await trunkOver(far, own);
    registrar.hush();
    const { kind, tookMs } = await outcomeOf(place(trunk));
    expect(kind).toBe("busy");
    expect(tookMs).toBeLessThanOrEqual(RECOVERY_MS_MAX);
    const [first, second, ...more] = sent("INVITE");
    expect(more).toEqual([]);
    expect(second?.socket).not.toBe(first?.socket);
    expect(second?.request.callId).toBe(first?.request.callId ?? "");
    expect(second?.request.cseq).toEqual(first?.request.cseq ?? { number: 0, method: "" });
    expect(second?.request.via.parameters.get("branch")).not.toBe(
      first?.request.via.parameters.get("branch"),
    );
  });

  test("IP peering: succeeds over a new one", async () => {
    const trunk = await trunkOver({}, { register: false });
    expect((await outcomeOf(place(trunk))).kind).toBe("busy");
    registrar.hush();
    await pass(60_000);
    const { kind, tookMs } = await outcomeOf(place(trunk));
    expect(kind).toBe("busy");
    expect(tookMs).toBeLessThanOrEqual(RECOVERY_MS_MAX);
  });

  test("three at once: each succeeds", async () => {
    const trunk = await trunkOver();
    registrar.hush();
    const legs = [place(trunk)];
    await pass(1000);
    legs.push(place(trunk), place(trunk));
    const ends = await Promise.all(legs.map(outcomeOf));
    expect(ends.map(({ kind }) => kind)).toEqual(["busy", "busy", "busy"]);
  });

  test("a cancelled call is not sent again", async () => {
    const trunk = await trunkOver();
    registrar.hush();
    const leg = place(trunk);
    await pass(1000);
    leg.hangUp();
    await until(() => sent("REGISTER").length > 1, "the new connection");
    await pass(10_000);
    expect(sent("INVITE")).toHaveLength(1);
  });

  test("a server that is silent on the new connection too gets it no third time", async () => {
    const trunk = await trunkOver({ answer: ignoring("INVITE") });
    registrar.hush();
    expect((await outcomeOf(place(trunk))).kind).toBe("transport_failed");
    expect(sent("INVITE")).toHaveLength(2);
  });

  test("a server that closes the connection with each INVITE gets two", async () => {
    const trunk = await trunkOver({
      answer: (request) => {
        if (request.method !== "INVITE") return busy(request);
        registrar.hangUp();
        return null;
      },
    });
    expect((await outcomeOf(place(trunk))).kind).toBe("transport_failed");
    expect(sent("INVITE")).toHaveLength(2);
  });
});

test("an unanswered BYE is sent again over a new connection", async () => {
  const trunk = await trunkOver({
    answer: (request) =>
      request.method === "INVITE"
        ? {
            statusCode: 200,
            toTag: "far",
            headers: [
              ["Contact", `<sip:far@${FAR}:${registrar.port};transport=tcp>`],
              ["Content-Type", "application/sdp"],
            ],
            body: OFFER(FAR),
          }
        : busy(request),
  });
  const leg = place(trunk);
  await until(() => sent("ACK").length === 1, "the call");
  registrar.hush();
  leg.hangUp();
  await until(() => sent("BYE").length === 2, "the second BYE");
  expect(sent("BYE")[0]?.socket).not.toBe(sent("BYE")[1]?.socket);
});

describe("without a call", () => {
  test.each([
    ["answers pings", { pongs: true }],
    ["answers OPTIONS but no pings", {}],
    ["answers neither", { answer: ignoring("OPTIONS") }],
  ] as const)(
    "a server that %s gets a new registration over a new connection within 20 s",
    async (_, far) => {
      await trunkOver(far);
      await pass(60_000);
      const before = [...registrar.connections];
      registrar.hush();
      const renewed = () => sent("REGISTER").some(({ socket }) => !before.includes(socket));
      expect(await until(renewed, "the REGISTER")).toBeLessThanOrEqual(RECOVERY_MS_MAX);
    },
  );

  test.each([
    ["answers pings", { pongs: true }],
    ["answers OPTIONS but no pings", {}],
    ["answers neither", { answer: ignoring("OPTIONS") }],
  ] as const)("a healthy server that %s keeps its connection", async (_, far) => {
    await trunkOver(far);
    const [first] = registrar.connections;
    await pass(280_000);
    expect([...registrar.connections]).toEqual(first ? [first] : []);
  });
});

test("a server that answers pings may take 20 s for a request", async () => {
  const trunk = await trunkOver({ pongs: true, answer: ignoring("INVITE") });
  const [first] = registrar.connections;
  place(trunk);
  await pass(20_000);
  expect([...registrar.connections]).toEqual(first ? [first] : []);
  expect(sent("INVITE")).toHaveLength(1);
});
