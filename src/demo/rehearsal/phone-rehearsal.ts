/**
 * Telephone rehearsals with a separate appliance in a temporary directory, the demo's carrier and
 * phones, real SIP and RTP on loopback, and embedded voices. Every call has its own tenant, so
 * calls can run in parallel and each call's tools answer as its scenario requires. Everything is
 * deleted afterwards.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallConfig } from "../../conversation/call-config.ts";
import type { TurnRecord } from "../../conversation/call-report.ts";
import { dayText, wallClock } from "../../core/calendar.ts";
import { type Clock, sleep, systemClock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { hex } from "../../core/ids.ts";
import { silentLog } from "../../core/log.ts";
import { type Random, systemRandom } from "../../core/random.ts";
import { camelName } from "../../core/wire-names.ts";
import { AGENT_VOICES, NOT_REHEARSED } from "../../features/agent/agent.ts";
import { agentShape } from "../../features/agent/agent-schema.ts";
import type { RehearsedAgent } from "../../features/rehearsal/agent-file.ts";
import { playCaller } from "../../features/rehearsal/language-model.ts";
import type { PhoneRehearsals } from "../../features/rehearsal/rehearsals.ts";
import { startOf } from "../../features/rehearsal/rehearse-text.ts";
import type { RehearsedCall } from "../../features/rehearsal/rehearsed-call.ts";
import {
  failedResult,
  modelFor,
  type OpenedModel,
  type RehearsalResult,
  resultOf,
} from "../../features/rehearsal/result.ts";
import type { Scenario } from "../../features/rehearsal/scenario.ts";
import type { SuiteCase } from "../../features/rehearsal/suite.ts";
import type { LiveTools } from "../../features/rehearsal/text-call.ts";
import { createDemoApi, type DemoApi } from "../api-client.ts";
import { type DemoAppliance, startDemoAppliance } from "../appliance.ts";
import { type Carrier, startCarrier } from "../carrier/carrier.ts";
import { makeCertificates } from "../company/certificate.ts";
import { createPhone, type Phone } from "../phone/phone.ts";
import type { IncomingCall, PhoneCall } from "../phone/phone-call.ts";
import { createVoices, type Voices } from "../voices.ts";
import { PhoneLine } from "./phone-line.ts";
import { type ToolLog, ToolServer } from "./tool-server.ts";

type Sections = Parameters<typeof startDemoAppliance>[0]["sections"];

interface PhoneRehearsalOptions {
  readonly version: string;
  /** Cases to run. Their callers' speech is synthesised before the first call. */
  readonly cases: readonly SuiteCase[];
  /** Engine and conversation as the operator configured them. Default: the embedded engine. */
  readonly sections?: Sections;
  /** Calls the real URL of a tool if a scenario says `live`; null: not supported here. */
  readonly runTool: LiveTools | null;
  /** Opens the language model that plays personas and judges; null if none is configured. */
  readonly openModel: (() => Promise<OpenedModel>) | null;
  /** Directory for recordings; null: not stored. */
  readonly recordingsDir: string | null;
}

const HOST = "127.0.0.1";
const REGISTERED_TIMEOUT_MS = 15_000;
const FINISHED_TIMEOUT_MS = 20_000;
const CREDIT_EUR = 50;
const PERSON_VOICE = "f3";
const NAME_LENGTH_MAX = 80;
const BEGINS_APART_MS = 1_000;
const SET_UP_WAIT_MS = 100;
const SET_UP_WAITS_MAX = 300;

export async function openPhoneRehearsals(
  options: PhoneRehearsalOptions,
): Promise<PhoneRehearsals> {
  const [clock, random] = [systemClock, systemRandom];
  const dataDir = mkdtempSync(join(tmpdir(), "linevoice-rehearsal-"));
  const cleanup: (() => unknown)[] = [() => rmSync(dataDir, { recursive: true, force: true })];
  const close = async () => {
    for (const undo of cleanup.reverse()) await Promise.resolve(undo()).catch(() => {});
  };
  try {
    const turns = new Map<string, HeldCall>();
    const certificates = await makeCertificates(HOST, clock.now());
    const tools = new ToolServer(HOST, certificates, clock);
    cleanup.push(() => tools.stop());
    const carrier = await startCarrier({ host: HOST, domain: "carrier.demo", clock, random });
    cleanup.push(() => carrier.close());
    const appliance = await startDemoAppliance({
      host: HOST,
      dataDir,
      authority: certificates.authority,
      version: options.version,
      clock,
      random,
      log: silentLog,
      sections: withTargets(options),
      adaptCall: (config) => adapted(config, turns),
    });
    cleanup.push(() => appliance.app.stop());
    await appliance.app.ready();
    const stage: Stage = {
      clock,
      random,
      tools,
      carrier,
      appliance,
      options,
      voices: await createVoices(),
      turns,
      numbers: new Set(),
      persons: [],
      begins: Promise.resolve(),
      settingUp: 0,
      files: new Set(),
    };
    for (const each of options.cases) await makeSpeech(stage, each);
    cleanup.push(() => Promise.all(stage.persons.map((phone) => phone.close())));
    appliance.app.turns.on("turn", ({ call, turn }) => noteTurn(stage, call, turn));
    return { rehearse: (each, run) => rehearse(stage, each, run), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Merges the transfer targets of all agents, because the appliance has one list. */
function withTargets({ sections, cases }: PhoneRehearsalOptions): Sections {
  const conversation = sections?.conversation;
  if (!conversation) return sections;
  const targets = cases.map(({ agent }) => agent.transferTargets);
  return {
    ...sections,
    conversation: { ...conversation, transfer_targets: Object.assign({}, ...targets) },
  };
}

/** Synthesis blocks this thread, so speech is made before the calls and cached. */
async function makeSpeech(
  { voices }: Pick<Stage, "voices">,
  { scenario: { caller, script = [] }, agent: { agent } }: SuiteCase,
): Promise<void> {
  const speak = voices.speaker(caller.voice, caller.language ?? agent.language);
  for (const { say, interrupt, mumble } of script) {
    const text = say ?? interrupt ?? mumble;
    if (text !== undefined) await speak(text).catch(() => {});
  }
}

interface Stage {
  readonly clock: Clock;
  readonly random: Random;
  readonly tools: ToolServer;
  readonly carrier: Carrier;
  readonly appliance: DemoAppliance;
  readonly voices: Voices;
  readonly options: PhoneRehearsalOptions;
  /** Calls by the company's number, which is unique per call. */
  readonly turns: Map<string, HeldCall>;
  /** All numbers in use. */
  readonly numbers: Set<string>;
  /** Phones of the people to whom callers are transferred. */
  readonly persons: Phone[];
  /** Resolves when the next call may begin. */
  begins: Promise<void>;
  /** Number of calls whose tenant, agent and phones are being created. */
  settingUp: number;
  /** Names of recordings in use. */
  readonly files: Set<string>;
}

interface HeldCall {
  callUuid: string;
  readonly turns: Map<number, TurnRecord>;
  readonly scenario: Scenario;
  /** Simulated start time of the call. */
  readonly startsAt: number;
  /** The company's number and the caller's. */
  readonly numbers: readonly string[];
}

/** Applies the scenario's settings to the call, regardless of the company's settings. */
function adapted(config: CallConfig, turns: Stage["turns"]): CallConfig {
  const held = turns.get(config.toNumber) ?? turns.get(config.fromNumber);
  if (!held) return config;
  const { variables, can_opt_out: canOptOut } = held.scenario;
  const { startsAt } = held;
  return { ...config, startsAt, canOptOut, variables: { ...config.variables, ...variables } };
}

function noteTurn(
  { turns }: Stage,
  call: { readonly callUuid: string; readonly fromNumber: string; readonly toNumber: string },
  turn: TurnRecord,
): void {
  const held = turns.get(call.toNumber) ?? turns.get(call.fromNumber);
  if (!held) return;
  held.callUuid = call.callUuid;
  held.turns.set(turn.index, turn);
}

/** Never rejects. */
async function rehearse(stage: Stage, each: SuiteCase, run: number): Promise<RehearsalResult> {
  const { scenario, agent } = each;
  let model: OpenedModel | null = null;
  try {
    model = await modelFor(scenario, stage.options.openModel);
    const call = await rehearsedCall(stage, each, run, model);
    return await resultOf(scenario, run, call, model);
  } catch (error) {
    return failedResult(scenario, run, agent, describeError(error));
  } finally {
    await model?.close();
  }
}

/**
 * Creates a tenant, a trunk, an agent with its knowledge and tools, and the caller's phone; then
 * runs the call.
 */
async function rehearsedCall(
  stage: Stage,
  { scenario, agent }: SuiteCase,
  run: number,
  model: OpenedModel | null,
): Promise<RehearsedCall> {
  const { clock, tools, turns } = stage;
  const number = freshNumber(stage, null);
  let line: PhoneLine | null = null;
  const log: ToolLog = {
    tools: [],
    unanswered: new Set(),
    running: 0,
    answers: scenario.tools,
    nowMs: () => line?.nowMs ?? 0,
    live: liveTool(stage, agent),
  };
  const name = number.slice(1);
  tools.add(name, log);
  const { tenant, phone } = await setUp(stage, { scenario, agent }, number);
  const startsAt = startOf(scenario, agent.timeZone, clock);
  const numbers = [number, phone.number];
  const held: HeldCall = { callUuid: "", turns: new Map(), scenario, startsAt, numbers };
  turns.set(number, held);
  await inTurn(stage);
  try {
    const call = await connectCall(tenant, phone, { scenario, number });
    line = new PhoneLine({
      call,
      clock,
      toolRuns: () => log.running > 0,
      agentTurns: () => turnsOf(held).filter(({ speaker }) => speaker === "agent"),
    });
    const { steps } = await playCaller(line, scenario, model?.open ?? null);
    await call.hangUp();
    const durationMs = Math.round(line.nowMs);
    const told = await finished(tenant.api, held);
    const recording = await keptRecording(stage, tenant, held, `${scenario.name}-${run}`);
    return {
      steps,
      durationMs,
      recording,
      turns: turnsOf(held),
      tools: log.tools,
      language: agent.agent.language,
      unanswered: [...log.unanswered],
      ...(await tracesOf(stage, tenant, held)),
      interruptions: line.interruptions,
      ...outcomeOf(told, agent),
      day: dayText(wallClock(agent.timeZone, startsAt)),
    };
  } finally {
    turns.delete(number);
    await phone.close();
  }
}

/** Creates everything that a call needs before it begins. */
async function setUp(
  stage: Stage,
  { scenario, agent }: Pick<SuiteCase, "scenario" | "agent">,
  number: string,
) {
  stage.settingUp++;
  try {
    const tenant = await connectTenant(stage, number, agent);
    const phone = await registerPhone(stage, scenario, agent);
    await registerPersons(stage, agent);
    return { tenant, phone };
  } finally {
    stage.settingUp--;
  }
}

/** Returns null if real tools are not available here. */
function liveTool({ options: { runTool } }: Stage, agent: RehearsedAgent): ToolLog["live"] {
  return runTool && ((tool, values) => runTool(agent, tool, values));
}

const turnsOf = ({ turns }: HeldCall): TurnRecord[] =>
  [...turns.values()].sort((a, b) => a.index - b.index);

const targetName = ({ transferTargets }: RehearsedAgent, number: string) =>
  Object.entries(transferTargets).find(([, each]) => each === number)?.[0] ?? number;

/** Returns an unused number; `wanted` if it is free. */
function freshNumber({ numbers }: Stage, wanted: string | null): string {
  let number = wanted;
  for (let next = numbers.size; number === null || numbers.has(number); next++)
    number = `+3706${String(1_000_000 + next)}`;
  numbers.add(number);
  return number;
}

interface RehearsalTenant {
  readonly tenantId: number;
  readonly api: DemoApi;
  readonly agentId: number;
}

async function connectTenant(
  { appliance, carrier, random, clock, tools }: Stage,
  number: string,
  { agent, company, knowledge, tools: owned }: RehearsedAgent,
): Promise<RehearsalTenant> {
  const { ask, addresses } = appliance.app;
  const name = number.slice(1);
  const password = hex(random.bytes(12));
  const tenant = await ask("tenant.create", {
    name: company,
    email: `${name}@rehearsal.example`,
    plan: null,
  });
  await ask("credit", { tenant: tenant.id, eur: CREDIT_EUR, note: "Rehearsal" });
  const key = await ask("key.create", { tenant: tenant.id, label: "rehearsal" });
  carrier.addSubscriber({ username: name, password, numbers: [number] });
  await ask("trunk.set", {
    tenant: tenant.id,
    server: carrier.address.host,
    port: carrier.address.port,
    transport: "udp",
    username: name,
    password,
    realm: null,
    outbound_proxy: null,
    channels: null,
    caller_id: number,
    register: true,
  });
  const api = createDemoApi(`${addresses.http}/api/v1`, key.secret, clock);
  const { agent: made } = await api.post<{ agent: { id: number } }>("/agents", agentBody(agent));
  for (const { filename, content } of knowledge)
    await api.post("/files", { filename, content, agent_id: made.id });
  for (const tool of owned)
    await ask("tool.create", {
      tenant: tenant.id,
      agent_id: made.id,
      url: tools.urlOf(name, tool.name),
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      secret_header: "X-Rehearsal",
      secret: hex(random.bytes(16)),
    });
  await api.post("/phone-numbers", { number_e164: number, label: "Rehearsal", agent_id: made.id });
  await carrier.registered(name, REGISTERED_TIMEOUT_MS);
  return { api, tenantId: tenant.id, agentId: made.id };
}

/** The agent as an API request body, without fields that send mail. */
export function agentBody(agent: RehearsedAgent["agent"]): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = {
    ...agent,
    fillerPhrases: agent.fillerPhrases.join("\n"),
  };
  const names = Object.keys(agentShape(AGENT_VOICES)).filter((name) => !(name in NOT_REHEARSED));
  return Object.fromEntries(names.map((name) => [name, values[camelName(name)]]));
}

/**
 * Calls begin one after another, and not while another call is being set up, because that needs
 * this thread too.
 */
async function inTurn(stage: Stage): Promise<void> {
  const before = stage.begins;
  stage.begins = before.then(async () => {
    for (let waits = 0; stage.settingUp > 0 && waits < SET_UP_WAITS_MAX; waits++)
      await sleep(stage.clock, SET_UP_WAIT_MS);
    await sleep(stage.clock, BEGINS_APART_MS);
  });
  await before;
}

/** The languages spoken and the SIP messages. */
async function tracesOf(
  { appliance }: Stage,
  { tenantId }: RehearsalTenant,
  { callUuid }: HeldCall,
): Promise<Pick<RehearsedCall, "languages" | "sip">> {
  const { callRecords } = appliance.app.services;
  const { notes, call } = await callRecords.conversation(tenantId, callUuid);
  const { sip } = await callRecords.diagnosis(call);
  const zeroMs = call.answeredAt ?? call.createdAt;
  return {
    languages: notes.flatMap((note) => (note.kind === "language" ? [note] : [])),
    sip: sip.map((entry) => ({ ...entry, atMs: entry.atMs - zeroMs })),
  };
}

async function registerPhone(
  stage: Stage,
  { caller, line }: Scenario,
  { agent }: RehearsedAgent,
): Promise<Phone> {
  const { carrier, voices, clock, random } = stage;
  const speaker = voices.speaker(caller.voice, caller.language ?? agent.language);
  const wanted = caller.number.startsWith("+") ? caller.number : null;
  const number = freshNumber(stage, wanted);
  const password = hex(random.bytes(12));
  carrier.addSubscriber({ username: number, password, numbers: [number] });
  const impaired = line.loss_percent > 0 || line.jitter_ms > 0;
  return await createPhone({
    number,
    password,
    host: HOST,
    carrier: carrier.address,
    clock,
    random,
    speech: noisySpeech(speaker, line.noise_db, random),
    codecs: [line.codec],
    ...(impaired ? { network: { lossPercent: line.loss_percent, jitterMs: line.jitter_ms } } : {}),
  });
}

/** Final responses of people who reject a transferred caller. */
const DECLINED = { busy: 486, declined: 603, failed: 500 } as const;

/** Answers or rejects a transferred caller, as the scenario specifies. */
function takeTransferred({ turns }: Stage, target: string, call: IncomingCall): void {
  const from = call.callerNumber ?? "";
  const held = [...turns.values()].find(({ numbers }) =>
    numbers.some((number) => from !== "" && number.endsWith(from.replace(/^\+/, ""))),
  );
  const outcome = held?.scenario.transfers[target] ?? "transferred";
  if (outcome === "transferred") void call.answer().catch(() => {});
  else if (outcome === "no_answer") call.ring();
  else call.reject(DECLINED[outcome]);
}

/**
 * Registers the people to whom callers are transferred. They listen until the other side hangs up.
 */
async function registerPersons(stage: Stage, { transferTargets }: RehearsedAgent): Promise<void> {
  const { carrier, voices, clock, random, numbers, persons } = stage;
  const own = Object.entries(transferTargets).filter(([, number]) => /^\+\d+$/.test(number));
  for (const [target, number] of own.filter(([, each]) => !numbers.has(each))) {
    numbers.add(number);
    const password = hex(random.bytes(12));
    carrier.addSubscriber({ username: number, password, numbers: [number] });
    const phone = await createPhone({
      number,
      password,
      host: HOST,
      carrier: carrier.address,
      clock,
      random,
      speech: voices.speaker(PERSON_VOICE),
    });
    phone.onCall((call) => takeTransferred(stage, target, call));
    persons.push(phone);
  }
}

/** Adds noise to the caller's speech; `noiseDb`: level below the speech. */
function noisySpeech(
  speech: ReturnType<Voices["speaker"]>,
  noiseDb: number | undefined,
  random: Random,
) {
  if (noiseDb === undefined) return speech;
  return async (text: string) => {
    const pcm = await speech(text);
    const level = Math.sqrt(
      pcm.reduce((sum, each) => sum + each * each, 0) / Math.max(1, pcm.length),
    );
    const amplitude = level * 10 ** (-noiseDb / 20) * Math.sqrt(3);
    return pcm.map((sample) => {
      const noisy = sample + amplitude * (random.float() * 2 - 1);
      return Math.max(-32_768, Math.min(32_767, Math.round(noisy)));
    });
  };
}

/** Places or receives the call; resolves when it is answered. */
async function connectCall(
  { api, agentId }: RehearsalTenant,
  phone: Phone,
  { scenario, number }: { readonly scenario: Scenario; readonly number: string },
): Promise<PhoneCall> {
  if (scenario.direction === "inbound") {
    const call = await phone.call(number);
    await call.answered;
    return call;
  }
  const incoming = new Promise<PhoneCall>((resolve, reject) =>
    phone.onCall((call) => {
      call.answer().then(() => resolve(call), reject);
    }),
  );
  await api.post("/calls", { to_number: phone.number, agent_id: agentId });
  return await incoming;
}

interface FinishedCall {
  readonly status: string;
  readonly ended_reason: RehearsedCall["endedReason"];
  readonly recording_status: string;
  readonly recording_url: string | null;
  readonly messages: readonly { readonly text: string; readonly at_ms: number }[];
  readonly transfers: readonly {
    readonly to: string;
    readonly outcome: string;
    readonly at_ms: number;
  }[];
}

async function finished(api: DemoApi, { callUuid }: HeldCall): Promise<FinishedCall> {
  if (callUuid === "") throw new Error("nobody said anything in this call");
  await api.callWhen(callUuid, ({ ended_reason }) => ended_reason !== null, FINISHED_TIMEOUT_MS);
  return (await api.get<{ call: FinishedCall }>(`/calls/${callUuid}`)).call;
}

/** Outcome of the call in the format of a rehearsal result. */
const outcomeOf = (call: FinishedCall, agent: SuiteCase["agent"]) => ({
  transfers: call.transfers.map(({ to, outcome, at_ms: atMs }) => ({
    target: targetName(agent, to),
    outcome,
    atMs,
  })),
  messages: call.messages.map(({ text, at_ms: atMs }) => ({ text, atMs })),
  endedReason: call.ended_reason,
});

/** Path of the recording; null if it is not stored or does not exist. */
async function keptRecording(
  { options: { recordingsDir }, files }: Stage,
  { api }: RehearsalTenant,
  { callUuid }: HeldCall,
  name: string,
): Promise<string | null> {
  if (recordingsDir === null) return null;
  const isDone = ({ recording_status: status }: FinishedCall | { recording_status: string }) =>
    ["ready", "failed", "none"].includes(status);
  const call = await api.callWhen(callUuid, isDone, FINISHED_TIMEOUT_MS);
  if (call.recording_status !== "ready") return null;
  const { call: told } = await api.get<{ call: FinishedCall }>(`/calls/${callUuid}`);
  if (told.recording_url === null) return null;
  const answer = await fetch(told.recording_url);
  if (!answer.ok) return null;
  const stem = name
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .toLowerCase()
    .slice(0, NAME_LENGTH_MAX);
  const file = join(recordingsDir, `${stem}${files.has(stem) ? `-${files.size}` : ""}.mp3`);
  files.add(stem);
  await Bun.write(file, await answer.arrayBuffer(), { mode: 0o600 });
  return file;
}
