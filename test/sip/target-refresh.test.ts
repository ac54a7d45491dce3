/** After a trunk's reconnection the remote parties of its calls get our new address. */
import { afterEach, expect, test } from "bun:test";
import type {
  IncomingLeg,
  OutgoingLeg,
  SipStack,
  Trunk,
  TrunkSettings,
} from "../../src/call/sip-port.ts";
import { e164 } from "../../src/core/e164.ts";
import {
  buildRequest,
  buildResponse,
  formatNameAddr,
  parseNameAddr,
  type ResponseParts,
  type SipRequest,
  type SipUri,
  tagOf,
} from "../../src/sip/message/index.ts";
import { eventually } from "../support/eventually.ts";
import { type TestCa, testCa } from "../support/net/test-ca.ts";
import { OFFER } from "../support/sip/raw-call.ts";
import { endOf, next, settled, startStack, trunkSettings } from "../support/sip/sip-stack.ts";
import {
  contactEchoed,
  type StreamRegistrar,
  type StreamRegistrarOptions,
  startStreamRegistrar,
} from "../support/sip/stream-registrar.ts";
import { tempDir } from "../support/temp-dir.ts";

const OURS = "127.0.71.1";
const FAR = "127.0.71.2";
/** Our public address behind the NAT; only its port changes. */
const OUTSIDE = "198.51.100.7";
const BASIC = "INVITE, ACK, CANCEL, BYE";

let authority: TestCa | undefined;
let stack: SipStack | undefined;
let far: StreamRegistrar | undefined;
afterEach(async () => {
  await stack?.close();
  await far?.close();
});

const world = () => {
  if (!stack || !far) throw new Error("nothing is open");
  return { stack, far };
};

interface Scene {
  /** The callee's Allow header. */
  readonly allow?: string;
  readonly transport?: "tcp" | "tls";
  readonly register?: boolean;
  readonly seenAs?: StreamRegistrarOptions["seenAs"];
  /** Number of accepted REGISTERs; default: all. */
  readonly registers?: number;
  /** The callee only rings. */
  readonly rings?: boolean;
  /** Whether our stack listens for TLS. */
  readonly listens?: boolean;
}

/** The remote party's answer to our requests within a call. */
function accepted(request: SipRequest, { allow = BASIC, transport = "tls" }: Scene): ResponseParts {
  const isOffer = request.method === "INVITE";
  const headers = [
    ["Contact", `<sip:far@${FAR}:${far?.port};transport=${transport}>`],
    ["Allow", allow],
    ...(isOffer ? [["Content-Type", "application/sdp"] as const] : []),
  ] as const;
  const body = isOffer ? OFFER(FAR).replace("AVP 8", "AVP 0") : "";
  return { statusCode: 200, toTag: tagOf(request.to) ?? "far", headers, body };
}

/** A registrar that is also the callee; it speaks PCMU, which is not our first codec. */
async function openTrunk(scene: Scene): Promise<Trunk> {
  const { transport = "tls", register = true, seenAs } = scene;
  authority ??= testCa(tempDir());
  const tls = transport === "tls" ? { tls: authority.issue([`IP:${FAR}`]) } : {};
  far = await startStreamRegistrar(FAR, {
    ...tls,
    ...(seenAs && { seenAs }),
    answer: (request) => {
      if (request.method === "ACK") return null;
      if (request.method === "REGISTER") {
        const isRefused =
          ofMethod("REGISTER").length > (scene.registers ?? Number.POSITIVE_INFINITY);
        return isRefused ? { statusCode: 403, toTag: "r" } : contactEchoed(request);
      }
      const isRinging = scene.rings && request.method === "INVITE";
      return isRinging ? { statusCode: 180, toTag: "far" } : accepted(request, scene);
    },
  });
  const listener = { bind: { host: OURS, port: 0 }, ...authority.issue([`IP:${OURS}`]) };
  stack = await startStack(OURS, undefined, {
    tlsCa: authority.caPem,
    codecs: ["PCMA", "PCMU"],
    tls: scene.listens ? listener : null,
  });
  const settings: Partial<TrunkSettings> = { server: FAR, port: far.port, transport, register };
  const trunk = stack.addTrunk(trunkSettings(settings));
  if (register) expect((await settled(trunk)).name).toBe("registered");
  else await Bun.sleep(20);
  return trunk;
}

const media = { host: OURS, port: 40_000 };
const place = (trunk: Trunk): OutgoingLeg =>
  trunk.place({
    to: e164("+37062222222"),
    from: e164("+37061001001"),
    media,
    ringTimeoutMs: 15_000,
  });

async function answeredCall(trunk: Trunk): Promise<OutgoingLeg> {
  const leg = place(trunk);
  await next(leg, "answered");
  await eventually(() => ofMethod("ACK").length > 0, "the ACK");
  return leg;
}

const ofMethod = (method: string): SipRequest[] =>
  world()
    .far.requests.map(({ request }) => request)
    .filter((request) => request.method === method);

/** Our address as the remote party knows it. */
function targetOf(request: SipRequest | undefined): SipUri {
  const uri = parseNameAddr(request?.headers.get("contact") ?? "")?.uri;
  if (uri?.scheme !== "sip") throw new Error("no SIP URI in the Contact");
  return uri;
}

/** Breaks every connection; resolves when the trunk has reconnected, and registered if configured. */
async function reconnect(register = true): Promise<void> {
  const before = ofMethod("REGISTER").length;
  const { far } = world();
  const old = [...far.connections];
  far.hangUp();
  await eventually(
    () => [...far.connections].some((socket) => !old.includes(socket)),
    "a connection",
  );
  if (register) await eventually(() => ofMethod("REGISTER").length > before, "a REGISTER");
}

/** The From, To and Call-ID of the remote party's requests. */
interface Names {
  readonly from: string;
  readonly to: string;
  readonly callId: string;
}

function namesOf(invite: SipRequest | undefined): Names {
  if (!invite) throw new Error("no call");
  const [from, to] = [`${formatNameAddr(invite.to)};tag=far`, formatNameAddr(invite.from)];
  return { from, to, callId: invite.callId };
}

/** Sends to that target as a proxy would: over the connection from its port. */
function sendTo(
  target: SipUri,
  { method, cseq = 1, body = "" }: { method: string; cseq?: number; body?: string },
  { from, to, callId }: Names = namesOf(ofMethod("INVITE")[0]),
): void {
  const socket = [...world().far.connections].find(({ remotePort }) => remotePort === target.port);
  if (!socket) throw new Error(`no connection from port ${target.port}`);
  socket.write(
    buildRequest({
      method,
      uri: `sip:${target.user}@${target.host}:${target.port}`,
      headers: [
        ["Via", `SIP/2.0/TLS ${FAR};branch=z9hG4bK-far-${method}-${cseq}`],
        ["Max-Forwards", 70],
        ["From", from],
        ["To", to],
        ["Call-ID", callId],
        ["Allow", `${BASIC}, UPDATE`],
        ["CSeq", `${cseq} ${method}`],
        ["Contact", `<sip:far@${FAR}:${world().far.port};transport=tls>`],
        ...(body === "" ? [] : [["Content-Type", "application/sdp"] as const]),
      ],
      body,
    }),
  );
}

/** Long enough to notice an unwanted request. */
const quiet = () => Bun.sleep(100);

test.each([
  ["a trunk that registers", true],
  ["a trunk that does not register", false],
])(
  "%s: by UPDATE if the remote party allows it, and its BYE reaches us there",
  async (_, register) => {
    const leg = await answeredCall(await openTrunk({ allow: `${BASIC}, UPDATE`, register }));
    const before = targetOf(ofMethod("INVITE")[0]);
    await reconnect(register);
    await eventually(() => ofMethod("UPDATE").length > 0, "the UPDATE");
    await quiet();
    const updates = ofMethod("UPDATE");
    expect(updates).toHaveLength(1);
    expect(updates[0]?.body).toBe("");
    expect(ofMethod("INVITE")).toHaveLength(1);
    const now = targetOf(updates[0]);
    expect(now.port).not.toBe(before.port);
    const ended = endOf(leg);
    sendTo(now, { method: "BYE" });
    expect(await ended).toMatchObject({ by: "callee", kind: "bye" });
  },
);

test("otherwise by re-INVITE with the codec of the call, and a re-INVITE reaches us there", async () => {
  const leg = await answeredCall(await openTrunk({}));
  await reconnect();
  await eventually(() => ofMethod("INVITE").length > 1, "the re-INVITE");
  await eventually(() => ofMethod("ACK").length > 1, "its ACK");
  await quiet();
  const invites = ofMethod("INVITE");
  expect(invites).toHaveLength(2);
  expect(/^m=audio \d+ (.*)$/m.exec(invites[1]?.body ?? "")?.[1]?.trim()).toStartWith("RTP/AVP 0");
  const body = OFFER(FAR, 30_002).replace("AVP 8", "AVP 0");
  sendTo(targetOf(invites[1]), { method: "INVITE", body });
  const { plan } = await next(leg, "media");
  expect(plan.remote.port).toBe(30_002);
});

test("once for each new connection", async () => {
  const leg = await answeredCall(await openTrunk({ allow: `${BASIC}, UPDATE` }));
  for (const count of [1, 2]) {
    await reconnect();
    await eventually(() => ofMethod("UPDATE").length >= count, `UPDATE ${count}`);
    await quiet();
    expect(ofMethod("UPDATE")).toHaveLength(count);
  }
  const ended = endOf(leg);
  sendTo(targetOf(ofMethod("UPDATE")[1]), { method: "BYE" });
  expect((await ended).kind).toBe("bye");
});

test("in an inbound call", async () => {
  await openTrunk({});
  const { stack, far } = world();
  const incoming = new Promise<IncomingLeg>((resolve) => stack.onIncoming(resolve));
  const names = { from: `<sip:a@${FAR}>;tag=far`, to: `<sip:b@${OURS}>`, callId: "came-in" };
  const registered = targetOf(ofMethod("REGISTER")[0]);
  sendTo(registered, { method: "INVITE", body: OFFER(FAR) }, names);
  const leg = await incoming;
  const answered = next(leg, "answered");
  await leg.answer(media);
  await eventually(() => far.responses.some(({ statusCode }) => statusCode === 200), "the 200");
  const ok = far.responses.find(({ statusCode }) => statusCode === 200);
  const inDialog = { ...names, to: ok ? formatNameAddr(ok.to) : "" };
  sendTo(registered, { method: "ACK" }, inDialog);
  await answered;
  await reconnect();
  await eventually(() => ofMethod("UPDATE").length > 0, "the UPDATE");
  const ended = endOf(leg);
  sendTo(targetOf(ofMethod("UPDATE")[0]), { method: "BYE", cseq: 2 }, inDialog);
  expect(await ended).toMatchObject({ by: "caller", kind: "bye" });
});

test("in a call that rang meanwhile, as soon as it is answered", async () => {
  const scene = { allow: `${BASIC}, UPDATE`, rings: true };
  const leg = place(await openTrunk(scene));
  await new Promise((resolve) => leg.on("ringing", resolve));
  await reconnect();
  await eventually(() => world().stack.registrations().registered === 1, "the registration");
  const [invite] = ofMethod("INVITE");
  const [socket] = world().far.connections;
  if (!invite || !socket) throw new Error("no call");
  const answered = next(leg, "answered");
  socket.write(buildResponse(invite, accepted(invite, scene)));
  await answered;
  await eventually(() => ofMethod("UPDATE").length > 0, "the UPDATE");
  const ended = endOf(leg);
  sendTo(targetOf(ofMethod("UPDATE")[0]), { method: "BYE" });
  expect(await ended).toMatchObject({ by: "callee", kind: "bye" });
});

test("while the registration is refused and not retried for minutes", async () => {
  const trunk = await openTrunk({ allow: `${BASIC}, UPDATE`, registers: 1 });
  const leg = await answeredCall(trunk);
  await reconnect();
  await eventually(() => trunk.registration.name === "failed", "the refusal");
  await eventually(() => ofMethod("UPDATE").length === 1, "the first UPDATE");
  await reconnect(false);
  await eventually(() => ofMethod("UPDATE").length === 2, "the second UPDATE");
  expect(ofMethod("REGISTER")).toHaveLength(2);
  const ended = endOf(leg);
  sendTo(targetOf(ofMethod("UPDATE")[1]), { method: "BYE" });
  expect((await ended).kind).toBe("bye");
});

test("behind a NAT: with the port seen by the registrar, and without moving the media", async () => {
  const seenAs: NonNullable<Scene["seenAs"]> = ({ remotePort = 0 }) => ({
    host: OUTSIDE,
    port: remotePort,
  });
  const trunk = await openTrunk({ allow: `${BASIC}, UPDATE`, transport: "tcp", seenAs });
  await answeredCall(trunk);
  expect(targetOf(ofMethod("INVITE")[0]).host).toBe(OUTSIDE);
  await reconnect();
  await eventually(() => ofMethod("UPDATE").length > 0, "the UPDATE");
  await quiet();
  expect(ofMethod("UPDATE")).toHaveLength(1);
  expect(ofMethod("INVITE")).toHaveLength(1);
  const [socket] = world().far.connections;
  const now = targetOf(ofMethod("UPDATE")[0]);
  expect([now.host, now.port]).toEqual([OUTSIDE, socket?.remotePort ?? 0]);
});

test.each([
  ["TCP", { transport: "tcp" }],
  ["TLS with tls_bind", { transport: "tls", listens: true }],
] as const)("over %s, if the Contact stays the same, nothing is sent", async (_, scene) => {
  await answeredCall(await openTrunk({ allow: `${BASIC}, UPDATE`, ...scene }));
  await reconnect();
  await eventually(() => world().stack.registrations().registered === 1, "the registration");
  await quiet();
  expect(ofMethod("UPDATE")).toEqual([]);
  expect(ofMethod("INVITE")).toHaveLength(1);
});
