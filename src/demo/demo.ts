/**
 * `linevoice demo`: shows the main functions with embedded defaults on this machine's loopback.
 * Starts the appliance, a carrier and phones; answers a call, places one, places a scheduled one;
 * prints and checks the results of each. Returns the exit status: 0, or 1 if any step failed.
 *
 * Everything it started is stopped when it returns. Nothing is written outside the data directory.
 */
import { type Clock, systemClock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import { type Log, silentLog } from "../core/log.ts";
import { type Random, systemRandom } from "../core/random.ts";
import {
  type DemoAppliance,
  type DemoTenant,
  setUpTenant,
  startDemoAppliance,
} from "./appliance.ts";
import { type Carrier, startCarrier } from "./carrier/carrier.ts";
import { makeCertificates } from "./company/certificate.ts";
import { CompanyServer } from "./company/company-server.ts";
import { DataDirInUse, DEFAULT_DATA_DIR, freshDataDir } from "./data-dir.ts";
import { gatherEvidence } from "./evidence/call-evidence.ts";
import { type LiveView, showLive } from "./live-view.ts";
import { createPhone, type Phone } from "./phone/phone.ts";
import { reportCall } from "./report.ts";
import type { Exchange } from "./scene/conversation.ts";
import {
  beCalled,
  callTheClinic,
  KEPT_EXCHANGES,
  OUTBOUND_EXCHANGES,
  SCHEDULED_EXCHANGES,
  type SceneResult,
} from "./scene/scenes.ts";
import {
  AGENT_VOICE,
  CALLED_LATER,
  CALLED_NOW,
  CALLED_TO_KEEP,
  CALLER,
  CHILDREN,
  COMPANY,
  DECOYS,
  GREETING,
  OPENING_HOURS,
  OWNER,
  PARKING,
  type Person,
  PRICE,
  TOOL,
} from "./script.ts";
import { createTerminal, Steps, type Terminal } from "./terminal.ts";
import { createVoices, type Voices } from "./voices.ts";

interface DemoOptions {
  /** Stop after the calls instead of continuing to serve. */
  readonly exit: boolean;
  /** Cleared first; null: `data/demo`. */
  readonly dataDir: string | null;
  readonly version: string;
  readonly write: (text: string) => void;
  readonly colours: boolean;
  /** Stops serving, e.g. on SIGINT. */
  readonly signal: AbortSignal;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: Random;
}

const HOST = "127.0.0.1";
const DOMAIN = "carrier.demo";
const REGISTERED_TIMEOUT_MS = 10_000;
const SCHEDULED_AHEAD_MS = 2000;
const KEPT_TIMEOUT_MS = 30_000;
const TOOL_SECRET_HEADER = "X-Clinic-Secret";

const PEOPLE: readonly Person[] = [CALLER, CALLED_NOW, CALLED_LATER, CALLED_TO_KEEP];

/** Everything that runs, in start order. */
interface Stage {
  readonly clock: Clock;
  readonly voices: Voices;
  readonly carrier: Carrier;
  readonly company: CompanyServer;
  readonly appliance: DemoAppliance;
  readonly tenant: DemoTenant;
  readonly live: LiveView;
  readonly phoneOf: (person: Person) => Phone;
}

export async function runDemo(options: DemoOptions): Promise<number> {
  const terminal = createTerminal(options.write, options.colours);
  const steps = new Steps(terminal);
  const cleanup: (() => unknown)[] = [];
  try {
    const stage = await setTheStage(options, terminal, cleanup);
    const ownerId = await makeOwner(stage);
    const watch = await signInLink(stage, ownerId);
    terminal.fact("watch", `${watch}   (the calls as they happen; signs in once)`);
    const stopped = aborted(options.signal).then(() => "stopped" as const);
    const calls = playTheCalls(stage, terminal, steps);
    if ((await Promise.race([calls, stopped])) === "stopped")
      throw new Error("stopped by a signal");
    await conclude(stage, ownerId, terminal, steps);
    if (!options.exit) await stopped;
  } catch (error) {
    const name = error instanceof DataDirInUse ? "data directory" : "the demo";
    await steps.attempt(name, () => Promise.reject(error));
  }
  for (const undo of cleanup.reverse())
    await Promise.resolve(undo()).catch((error: unknown) =>
      terminal.failed(`stopping: ${describeError(error)}`),
    );
  return steps.failures.length === 0 ? 0 : 1;
}

async function setTheStage(
  options: DemoOptions,
  terminal: Terminal,
  cleanup: (() => unknown)[],
): Promise<Stage> {
  const { clock = systemClock, random = systemRandom, log = silentLog } = options;
  const dataDir = freshDataDir(options.dataDir ?? DEFAULT_DATA_DIR);
  terminal.line(
    "Linevoice demo: the appliance, a carrier and phones, over SIP and RTP on loopback.",
  );
  terminal.section("Setting up");
  const voices = await createVoices();
  const certificates = await makeCertificates(HOST, clock.now());
  const toolSecret = { header: TOOL_SECRET_HEADER, value: hex(random.bytes(16)) };
  const company = new CompanyServer({ host: HOST, certificates, toolSecret, clock });
  cleanup.push(() => company.stop());
  const carrier = await startCarrier({ host: HOST, domain: DOMAIN, clock, random });
  cleanup.push(() => carrier.close());
  terminal.fact("carrier", `${addressText(carrier.address)}, registrar and proxy with digest`);

  const appliance = await startDemoAppliance({
    host: HOST,
    dataDir,
    authority: certificates.authority,
    version: options.version,
    clock,
    random,
    log,
  });
  const { app } = appliance;
  cleanup.push(() => app.stop());
  await app.ready();
  terminal.fact("appliance", `SIP ${app.addresses.sip}, API ${app.addresses.http}/api/v1`);

  const parts = { carrier, company, toolSecret, clock, random };
  const tenant = await connectTenant(appliance, parts, terminal);
  const phoneOf = await registerPhones({ carrier, voices, clock, random }, terminal, cleanup);
  await rehearse(voices);
  const labels = new Map(PEOPLE.map(({ number, name }) => [number, name.padEnd(5)]));
  const live = showLive(app, terminal, labels);
  cleanup.push(() => live.stop());
  return { clock, voices, carrier, company, appliance, tenant, live, phoneOf };
}

/** Sets up the tenant, registers its trunk at the carrier and subscribes its webhook. */
async function connectTenant(
  appliance: DemoAppliance,
  parts: {
    readonly carrier: Carrier;
    readonly company: CompanyServer;
    readonly toolSecret: { readonly header: string; readonly value: string };
    readonly clock: Clock;
    readonly random: Random;
  },
  terminal: Terminal,
): Promise<DemoTenant> {
  const { carrier, company } = parts;
  const username = COMPANY.trunkUser;
  const trunkPassword = hex(parts.random.bytes(12));
  carrier.addSubscriber({ username, password: trunkPassword, numbers: [COMPANY.number] });
  const tenant = await setUpTenant(appliance, { ...parts, trunkPassword });
  await carrier.registered(username, REGISTERED_TIMEOUT_MS);
  terminal.fact("trunk", `${username} is registered, ${COMPANY.number}`);
  await subscribe(tenant, company);
  terminal.fact("webhook", `${company.webhookUrl}, signed`);
  return tenant;
}

/** Synthesises every line before the calls, because this thread paces audio during them. */
async function rehearse(voices: Voices): Promise<void> {
  const agentLines = [GREETING, TOOL.asksBack, TOOL.answer, ...DECOYS];
  for (const line of agentLines) await voices.speak(AGENT_VOICE, line);
  const questions = [OPENING_HOURS, PARKING, PRICE, CHILDREN, TOOL].map(({ question }) => question);
  for (const { voice, goodbye } of PEOPLE)
    for (const line of [...questions, goodbye]) await voices.speak(voice, line);
}

interface PhoneParts {
  readonly carrier: Carrier;
  readonly voices: Voices;
  readonly clock: Clock;
  readonly random: Random;
}

async function registerPhones(
  parts: PhoneParts,
  terminal: Terminal,
  cleanup: (() => unknown)[],
): Promise<Stage["phoneOf"]> {
  const phones = new Map<Person, Phone>();
  for (const person of PEOPLE) {
    const phone = await registerPhone(person, parts);
    cleanup.push(() => phone.close());
    phones.set(person, phone);
    terminal.fact("phone", `${person.number}, ${person.name}`);
  }
  return (person) => {
    const phone = phones.get(person);
    if (!phone) throw new Error(`${person.name} has no phone`);
    return phone;
  };
}

async function registerPhone(
  { number, voice }: Person,
  { carrier, voices, clock, random }: PhoneParts,
): Promise<Phone> {
  const password = hex(random.bytes(12));
  carrier.addSubscriber({ username: number, password, numbers: [number] });
  return createPhone({
    number,
    password,
    host: HOST,
    carrier: carrier.address,
    speech: voices.speaker(voice),
    clock,
    random,
  });
}

async function subscribe({ api }: DemoTenant, company: CompanyServer): Promise<void> {
  const { signing_secret } = await api.post<{ signing_secret: string }>("/webhooks", {
    url: company.webhookUrl,
    events: [
      "call.started",
      "call.answered",
      "call.ended",
      "call.failed",
      "transcript.completed",
      "tool.executed",
    ],
  });
  company.setSigningSecret(signing_secret);
}

interface PlayedCall {
  readonly title: string;
  readonly person: Person;
  readonly callUuid: string;
  readonly scene: SceneResult;
}

async function playTheCalls(stage: Stage, terminal: Terminal, steps: Steps): Promise<void> {
  terminal.section(`${CALLER.name} calls the clinic`);
  const inbound = await steps.attempt("inbound call", () => playInbound(stage));
  terminal.section(`The clinic calls ${CALLED_NOW.name} now, and ${CALLED_LATER.name} on schedule`);
  const [outbound, scheduled] = await Promise.all([
    steps.attempt("outbound call", () => playOutbound(stage, OUTBOUND)),
    steps.attempt("scheduled call", () => playOutbound(stage, SCHEDULED)),
  ]);
  terminal.section(`The clinic calls ${CALLED_TO_KEEP.name}, and keeps the recording`);
  const kept = await steps.attempt("call whose recording is kept", () => playOutbound(stage, KEPT));
  for (const played of [inbound, outbound, scheduled]) {
    if (played)
      await steps.attempt(`${played.title}: evidence`, () =>
        showEvidence(stage, played, terminal, steps),
      );
  }
  if (kept) await steps.attempt("kept recording", () => showKept(stage, kept, terminal));
  const requests = stage.company.toolRequests;
  steps.check(
    "tool called with its secret header",
    requests.length > 0 && requests.every(({ authentic }) => authentic),
    JSON.stringify(requests.map((request) => request.arguments)),
  );
}

async function playInbound(stage: Stage): Promise<PlayedCall> {
  const scene = await callTheClinic(stage, stage.phoneOf(CALLER), CALLER);
  const callUuid = stage.live.callUuidOf(CALLER.number);
  if (callUuid === null) throw new Error("the appliance reported no turn of this call");
  return { title: "inbound", person: CALLER, callUuid, scene };
}

interface OutboundScene {
  readonly title: string;
  readonly person: Person;
  readonly exchanges: readonly Exchange[];
  /** null: immediately. */
  readonly aheadMs: number | null;
  readonly agent: "agentId" | "remindersId";
}

const OUTBOUND: OutboundScene = {
  title: "outbound",
  person: CALLED_NOW,
  exchanges: OUTBOUND_EXCHANGES,
  aheadMs: null,
  agent: "agentId",
};
const SCHEDULED: OutboundScene = {
  title: "scheduled",
  person: CALLED_LATER,
  exchanges: SCHEDULED_EXCHANGES,
  aheadMs: SCHEDULED_AHEAD_MS,
  agent: "agentId",
};
const KEPT: OutboundScene = {
  title: "kept",
  person: CALLED_TO_KEEP,
  exchanges: KEPT_EXCHANGES,
  aheadMs: null,
  agent: "remindersId",
};

async function playOutbound(
  stage: Stage,
  { title, person, exchanges, aheadMs, agent }: OutboundScene,
): Promise<PlayedCall> {
  const answered = beCalled(stage, stage.phoneOf(person), person, exchanges);
  const schedule =
    aheadMs === null ? {} : { schedule_at: new Date(stage.clock.now() + aheadMs).toISOString() };
  const [placed, scene] = await Promise.all([
    stage.tenant.api.post<{ call_uuid: string }>("/calls", {
      to_number: person.number,
      agent_id: stage.tenant[agent],
      ...schedule,
    }),
    answered,
  ]);
  return { title, person, callUuid: placed.call_uuid, scene };
}

/** The agent of this call sends no mail, so the recording is kept and the call's page plays it. */
async function showKept(
  { tenant, appliance }: Stage,
  { callUuid, person }: PlayedCall,
  terminal: Terminal,
): Promise<void> {
  await tenant.api.callWhen(
    callUuid,
    ({ recording_status }) => recording_status === "ready",
    KEPT_TIMEOUT_MS,
  );
  const page = `${appliance.app.addresses.http}/app/calls/${callUuid}`;
  terminal.fact("to hear", `the call to ${person.name}, with its recording: ${page}`);
}

async function showEvidence(
  stage: Stage,
  { title, person, callUuid, scene }: PlayedCall,
  terminal: Terminal,
  steps: Steps,
): Promise<void> {
  const evidence = await gatherEvidence(
    { callUuid, scene, callerVoice: person.voice, outboxDir: stage.appliance.outboxDir },
    { api: stage.tenant.api, voices: stage.voices, clock: stage.clock },
  );
  const eventsReceived = stage.company.events.filter((event) => event.callUuid === callUuid);
  reportCall({ title, scene, evidence, eventsReceived }, terminal, steps);
}

async function conclude(
  stage: Stage,
  ownerId: number,
  terminal: Terminal,
  steps: Steps,
): Promise<void> {
  const link = await steps.attempt("dashboard", () => signInLink(stage, ownerId));
  terminal.section(steps.failures.length === 0 ? "All of it worked" : "Some steps failed");
  for (const failure of steps.failures) terminal.failed(failure);
  terminal.fact("API", stage.tenant.api.baseUrl);
  terminal.fact("key", stage.tenant.key);
  terminal.fact("try", `curl -H "Authorization: Bearer $KEY" ${stage.tenant.api.baseUrl}/calls`);
  if (link) terminal.fact("open", `${link}   (signs in once, within 30 minutes)`);
}

/** Creates the demo's owner with all rights. */
async function makeOwner({ appliance, tenant }: Stage): Promise<number> {
  const { user } = await appliance.app.services.identity.setup.createUser({
    tenantId: tenant.tenantId,
    email: OWNER.email,
    name: OWNER.name,
    role: "owner",
    operator: true,
  });
  return user.id;
}

const signInLink = async ({ appliance }: Stage, ownerId: number): Promise<string> =>
  (await appliance.app.services.identity.setup.createSignInLink(ownerId)).url;

const addressText = ({ host, port }: { host: string; port: number }) => `${host}:${port}`;

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
