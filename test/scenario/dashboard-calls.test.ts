/**
 * The dashboard during real calls: followed live, listened to, and inspected afterwards; an agent tried from a
 * browser by voice and in writing. Takes some 60 s: the calls are real.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createVoices, type Voices } from "../../src/demo/voices.ts";
import { chat } from "../../src/features/agent/chat-routes.ts";
import { getCallDetails, getPeaks } from "../../src/features/call-log/dashboard-routes.ts";
import { listLive } from "../../src/features/call-log/home-routes.ts";
import { listCalls } from "../../src/features/call-log/routes.ts";
import { createTool } from "../../src/features/tool/dashboard-routes.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { browserOf } from "../support/browser/appliance-browser.ts";
import type { Browser } from "../support/browser/dashboard-session.ts";
import { DashboardSocket } from "../support/browser/dashboard-socket.ts";
import { eventually } from "../support/eventually.ts";
import { replyOf } from "../support/http/reply.ts";
import type { Phone } from "../support/media/phone/phone.ts";
import { answer, type HttpsReceiver, httpsReceiver } from "../support/net/https-receiver.ts";
import { testCa } from "../support/net/test-ca.ts";
import { startMicrophone } from "../support/speech/microphone.ts";
import { spoken } from "../support/speech/spoken.ts";
import { tempDir } from "../support/temp-dir.ts";

const CALLER = "+37061000071";

let world: Appliance;
let owner: Browser;
let stranger: Browser;
let caller: Phone;
let voices: Voices;
let receiver: HttpsReceiver;

beforeAll(async () => {
  const ca = testCa(tempDir());
  const message = "The next free appointment is on Monday at nine, with the doctor on duty.";
  receiver = await httpsReceiver(
    ca.issue(["IP:127.0.0.1"]),
    answer(200, JSON.stringify({ message }), { "content-type": "application/json" }),
  );
  world = await startAppliance({
    dataDir: tempDir(),
    host: "127.0.8.71",
    agent: { transcriptEmailEnabled: false },
    settings: (settings) => ({
      ...settings,
      httpClient: { ...settings.httpClient, caPem: ca.caPem },
      callWorker: { ...settings.callWorker, keepsPacketHeaders: true },
    }),
  });
  owner = await browserOf(world.app, { tenantId: world.tenantId });
  const other = await world.app.ask("tenant.create", {
    name: "Another company",
    email: "other@example.com",
    plan: null,
  });
  stranger = await browserOf(world.app, { tenantId: other.id });
  caller = await world.phone(CALLER, "m3");
  voices = await createVoices();
}, 60_000);

afterAll(async () => {
  await world.close();
  await receiver.close();
});

/** Loudest sample of one side of interleaved stereo. */
function loudest(frames: readonly Uint8Array[], side: 0 | 1): number {
  let most = 0;
  for (const bytes of frames) {
    const pcm = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
    for (let at = side; at < pcm.length; at += 2) most = Math.max(most, Math.abs(pcm[at] ?? 0));
  }
  return most;
}

/** The operator's capture file has RTP of both sides as tcpdump reads it, without its audio. */
async function expectCapture(uuid: string): Promise<void> {
  const operator = await browserOf(world.app, { tenantId: world.tenantId, operator: true });
  const response = await fetch(`${operator.base}/api/dashboard/calls/${uuid}/signalling.pcap`, {
    headers: { cookie: operator.cookie ?? "" },
  });
  expect(response.status).toBe(200);
  const file = new Uint8Array(await response.arrayBuffer());
  const view = new DataView(file.buffer);
  for (let at = 24; at < file.length; at += 16 + view.getUint32(at + 8)) {
    const isMedia = view.getUint16(at + 36) !== 5060;
    if (isMedia) expect(view.getUint32(at + 8)).toBeLessThanOrEqual(40);
  }
  const tcpdump = Bun.which("tcpdump");
  if (!tcpdump) return;
  const told = Bun.spawnSync([tcpdump, "-n", "-T", "rtp", "-r", "-"], { stdin: file });
  const bySender = new Map<string, number[]>();
  for (const [, sender = "", sequence] of told.stdout
    .toString()
    .matchAll(/ IP (\S+) > \S+: udp\/rtp 160 c8 \D*(\d+) /g))
    bySender.set(sender, [...(bySender.get(sender) ?? []), Number(sequence)]);
  expect(bySender.size).toBe(2);
  for (const sequences of bySender.values()) {
    expect(sequences.length).toBeGreaterThan(100);
    const gaps = sequences.filter(
      (sequence, at) => at > 0 && sequence !== ((sequences[at - 1] ?? 0) + 1) % 65_536,
    );
    // The single gap of a long capture.
    expect(gaps.length).toBeLessThanOrEqual(1);
  }
}

test(
  "a call is followed and listened to while it lives, and shown in every detail afterwards",
  async () => {
    const live = await new DashboardSocket(owner, "/ws").open();
    const foreign = await new DashboardSocket(stranger, "/ws").open();
    await live.until(({ type }) => type === "ready", "the live list is complete");

    const call = await caller.call(OWN_NUMBER);
    try {
      await call.answered;
      const begun = await live.until(
        ({ type, call: shown }) =>
          type === "call" && (shown as { status: string }).status === "in_progress",
        "the answered call is shown",
      );
      const { call_uuid: uuid, agent_name: agentName } = begun.call as {
        call_uuid: string;
        agent_name: string;
      };
      expect(agentName).toBe("Reception");
      const shown = replyOf(listLive, await owner.ask("GET", "/live")).calls;
      expect(shown.filter((call) => call.call_uuid === uuid)).toMatchObject([
        { direction: "inbound", from_number: CALLER, status: "in_progress" },
      ]);
      expect(replyOf(listLive, await stranger.ask("GET", "/live")).calls).toEqual([]);

      const ear = await new DashboardSocket(owner, `/calls/${uuid}/listen`).open();
      await expect(new DashboardSocket(stranger, `/calls/${uuid}/listen`).open()).rejects.toThrow(
        "refused",
      );
      await call.waitForReply();
      await call.say("What are your opening hours?");
      await call.waitForReply();
      await eventually(() => loudest(ear.binary, 0) > 1000, "the caller is heard");
      await eventually(() => loudest(ear.binary, 1) > 1000, "the agent is heard");
      await live.until(
        ({ type, turn }) =>
          type === "turn" && (turn as { text: string }).text.includes("nine to five"),
        "the agent's answer is shown",
      );
      const late = await new DashboardSocket(owner, "/ws").open();
      await late.until(({ type }) => type === "ready", "the list is complete for a late visitor");
      expect(late.of("turn").length).toBeGreaterThanOrEqual(3);
      late.close();
      await call.hangUp();
      expect(await ear.ended()).toBe(1000);
      await live.until(
        ({ type, call_uuid }) => type === "ended" && call_uuid === uuid,
        "its end is shown",
      );
      expect(foreign.messages.filter(({ type }) => type !== "ready")).toEqual([]);

      await world.callWhen(uuid, (shown) => shown.recording_status === "ready", 30_000);
      await eventually(async () => {
        const { details } = replyOf(
          getCallDetails,
          await owner.ask("GET", `/calls/${uuid}/details`),
        );
        return details.sip.some(
          (step) => step.line.startsWith("200 OK (") && step.line.includes("BYE"),
        );
      }, "the answer to BYE is in the ladder");
      const { details } = replyOf(getCallDetails, await owner.ask("GET", `/calls/${uuid}/details`));
      const lines = details.sip.map((step) => `${step.direction} ${step.line}`);
      expect(lines[0]).toStartWith("in INVITE (");
      expect(lines.some((line) => /^out 200 OK \(\d+ INVITE\)$/.test(line))).toBe(true);
      expect(lines.some((line) => /^in BYE/.test(line))).toBe(true);
      expect(JSON.stringify(details.sip)).not.toContain("3706");
      expect(JSON.stringify(details.sip)).toContain("PCMA");
      expect(details.rtp.length).toBeGreaterThan(0);
      expect(details.rtp[0]?.mos).toBeGreaterThan(3);
      const lanes = new Set(details.timeline.map((span) => span.lane));
      for (const lane of ["sip", "caller", "agent"] as const) expect(lanes.has(lane)).toBe(true);
      expect(details.agent_name).toBe("Reception");
      const answered = details.turns.find(({ text }) => text.includes("nine to five"));
      expect(answered?.stages?.endpointing_ms).toBeGreaterThan(0);
      const steps = Object.values(answered?.stages ?? {}).filter(
        (step) => typeof step === "number",
      );
      const sum = steps.reduce((total, step) => total + step, 0);
      expect(Math.abs(sum - (answered?.latency_ms ?? 0))).toBeLessThan(100);
      expect(details.answered_time_check.clock_ms).toBeGreaterThan(1000);
      expect(details.cost_lines.map((line) => line.item)).toEqual(["plan_seconds", "overage"]);
      expect((await stranger.ask("GET", `/calls/${uuid}/details`)).status).toBe(404);

      await expectCapture(uuid);

      const { peaks } = replyOf(getPeaks, await owner.ask("GET", `/calls/${uuid}/peaks`));
      const slots = Math.ceil((peaks.duration_ms / 1000) * peaks.samples_per_second);
      expect(Math.abs(peaks.left.length / 2 - slots)).toBeLessThanOrEqual(1);
      expect(Math.max(...peaks.left)).toBeGreaterThan(3);
      expect(Math.max(...peaks.right)).toBeGreaterThan(3);
      const part = await owner.ask("GET", `/calls/${uuid}/audio`, undefined, {
        range: "bytes=0-9",
      });
      expect([part.status, part.headers.get("content-length")]).toEqual([206, "10"]);
      expect((await stranger.ask("GET", `/calls/${uuid}/audio`)).status).toBe(404);

      const csv = await owner.ask("GET", "/calls.csv?status=completed");
      expect(csv.headers.get("content-type")).toStartWith("text/csv");
      expect(csv.text.split("\r\n")[1]).toStartWith(`${uuid},inbound,${CALLER},${OWN_NUMBER}`);

      const audit = await owner.ask("GET", "/audit?limit=50");
      expect((audit.json as { entries: unknown[] }).entries).toContainEqual(
        expect.objectContaining({ action: "listenToCall", target: `/calls/${uuid}/listen` }),
      );
    } finally {
      live.close();
      foreign.close();
      await call.hangUp();
    }
  },
  spoken(90_000),
);

async function ladderOf(uuid: string): Promise<string[]> {
  const { details } = replyOf(getCallDetails, await owner.ask("GET", `/calls/${uuid}/details`));
  return details.sip.map(({ direction, line }) => `${direction} ${line}`);
}

test("unanswered calls and outbound calls have their SIP ladders too", async () => {
  const { phone_numbers: numbers } = (await owner.fetch("GET", "/api/v1/phone-numbers")).json as {
    phone_numbers: { id: number }[];
  };
  const number = `/api/v1/phone-numbers/${numbers[0]?.id}`;
  await owner.fetch("PATCH", number, { inbound_enabled: false });
  const declined = await caller.call(OWN_NUMBER);
  await declined.answered.catch(() => {});
  await owner.fetch("PATCH", number, { inbound_enabled: true });
  const newest = async (direction: string) => {
    const path = `/api/v1/calls?limit=1&direction=${direction}`;
    return replyOf(listCalls, await owner.fetch("GET", path)).calls[0]?.call_uuid ?? "";
  };
  await eventually(
    async () =>
      (await ladderOf(await newest("inbound"))).some((line) => line.startsWith("out 480")),
    "the refusal is in the ladder",
  );

  caller.onCall((incoming) => void incoming.answer());
  const placed = await world.api("POST", "/calls", { to_number: CALLER });
  const { call_uuid: uuid } = placed.body;
  await world.callWhen(uuid, ({ status }) => status === "in_progress");
  await caller.calls.at(-1)?.hangUp();
  await eventually(async () => {
    const lines = await ladderOf(uuid);
    return (
      lines.some((line) => line.startsWith("in BYE")) &&
      lines.some((line) => /^out 200 OK \(\d+ BYE/.test(line))
    );
  }, "the whole ladder is there");
  const lines = await ladderOf(uuid);
  expect(lines[0]).toStartWith("out INVITE");
  expect(lines.some((line) => /^in 200 OK \(\d+ INVITE/.test(line))).toBe(true);
  expect(lines.some((line) => line.startsWith("out ACK"))).toBe(true);
}, 60_000);

test.each([8000, 16000] as const)(
  "an agent is tried from a browser at %i Hz: understood, answered, and not stored as a call",
  async (rate) => {
    const before = replyOf(listCalls, await owner.fetch("GET", "/api/v1/calls?limit=1")).total;
    const { talk, microphone } = await startTalk(rate);
    microphone.say(await voices.speak("m3", "What are your opening hours?"));
    await talk.until(
      ({ type, turn }) =>
        type === "turn" && (turn as { text: string }).text.includes("nine to five"),
      "the agent answers from its knowledge",
    );
    expect(talk.binary.slice(1).every((frame) => frame.byteLength === rate / 25)).toBe(true);
    talk.send({ type: "stop" });
    await talk.until(({ type }) => type === "ended", "the talk ends");
    expect(await talk.ended()).toBe(1000);
    microphone.stop();
    expect(replyOf(listCalls, await owner.fetch("GET", "/api/v1/calls?limit=1")).total).toBe(
      before,
    );
    expect((await stranger.ask("GET", `/agents/${world.agentId}/talk`)).status).toBe(405);
  },
  spoken(60_000),
);

test(
  "a browser conversation runs real tools, and an interruption of the agent empties the browser's buffer",
  async () => {
    const draft = {
      name: "next_free_appointment",
      description: "Tells the next free appointment. Find the next free appointment.",
      url: `https://127.0.0.1:${receiver.port}/next`,
      secret_header: "X-Tool-Secret",
      secret: "s",
      parameters: { type: "object" },
    };
    const { tool } = replyOf(createTool, await owner.ask("POST", "/tools", draft));
    const { talk, microphone } = await startTalk(8000);
    microphone.say(await voices.speak("m3", "Find the next free appointment"));
    const told = await talk.until(({ type }) => type === "tool", "the tool is run");
    expect(told).toMatchObject({ tool: "next_free_appointment", ok: true, http_status: 200 });
    expect(JSON.parse(receiver.requests.at(-1)?.body ?? "").caller.test).toBe(true);
    await eventually(() => talk.of("state").at(-1)?.state === "speaking", "the agent answers");
    microphone.say(await voices.speak("m3", "What are your opening hours? And where are you?"));
    await talk.until(({ type }) => type === "clear", "what was still to be heard is void");
    talk.send({ type: "stop" });
    await talk.ended();
    microphone.stop();
    await owner.ask("DELETE", `/tools/${tool.id}`);
  },
  spoken(60_000),
);

test("a tenant's browser conversations are limited, and other tenants' agents are unknown", async () => {
  await hangUpLeftovers();
  const talks = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const talk = await new DashboardSocket(owner, `/agents/${world.agentId}/talk`).open();
      talk.send({ type: "start", sample_rate: 16000 });
      return talk;
    }),
  );
  await eventually(
    () => talks.every((talk) => talk.of("ready").length + talk.of("error").length > 0),
    "each talks or is refused",
  );
  const refused = talks.filter((talk) => talk.of("error").length > 0);
  expect(refused.map((talk) => talk.of("error")[0]?.error)).toEqual(["plan_limit_reached"]);
  for (const talk of talks) talk.close();
  const foreign = await new DashboardSocket(stranger, `/agents/${world.agentId}/talk`).open();
  foreign.send({ type: "start", sample_rate: 16000 });
  const error = await foreign.until(({ type }) => type === "error", "it is refused");
  expect(error.error).toBe("not_found");
}, 30_000);

test("an agent answers in writing, continues a known conversation, and otherwise starts again", async () => {
  const path = `/agents/${world.agentId}/chat`;
  const opening = replyOf(chat, await owner.ask("POST", path, {}));
  expect(opening.reply).toContain("this is the dental clinic");
  const messages = [{ role: "agent", text: opening.reply }];
  const hours = replyOf(
    chat,
    await owner.ask("POST", path, { messages, message: "What are your opening hours?" }),
  );
  expect(hours.reply).toContain("nine to five");
  const price = replyOf(
    chat,
    await owner.ask("POST", path, {
      messages: [{ role: "customer", text: "Where are you located?" }],
      message: "How much does a consultation cost?",
    }),
  );
  expect(price.reply).toContain("forty euros");
  expect((await stranger.ask("POST", path, { message: "Hello?" })).status).toBe(404);
}, 30_000);

/** Browser conversations of this file, some of them of a failed attempt. */
const begun: DashboardSocket[] = [];

/** Ends the conversations of the previous attempt, because their number is limited. */
async function hangUpLeftovers(): Promise<void> {
  for (const talk of begun.splice(0)) {
    talk.close();
    await talk.ended();
  }
}

async function startTalk(rate: 8000 | 16000) {
  await hangUpLeftovers();
  const talk = await new DashboardSocket(owner, `/agents/${world.agentId}/talk`).open();
  begun.push(talk);
  talk.send({ type: "start", sample_rate: rate });
  const ready = await talk.until(({ type }) => type === "ready", "the agent is there");
  expect(ready.sample_rate).toBe(rate);
  const microphone = startMicrophone(talk, rate);
  await talk.until(
    ({ type, turn }) => type === "turn" && (turn as { speaker: string }).speaker === "agent",
    "the agent greets",
  );
  await eventually(
    () => talk.of("state").some(({ state }) => state === "listening"),
    "the greeting is over",
  );
  return { talk, microphone };
}
