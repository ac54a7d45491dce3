/** Prints and checks the results of a call: each value is compared with the actual events. */
import { relative } from "node:path";
import { type CallEvidence, isRightBill } from "./evidence/call-evidence.ts";
import type { SentenceMatch } from "./hearing/sentence-matcher.ts";
import type { SceneResult } from "./scene/scenes.ts";
import type { Steps, Terminal } from "./terminal.ts";

interface ReportedCall {
  readonly title: string;
  readonly scene: SceneResult;
  readonly evidence: CallEvidence;
  readonly eventsReceived: readonly { readonly type: string; readonly authentic: boolean }[];
}

export function reportCall(reported: ReportedCall, terminal: Terminal, steps: Steps): void {
  const { call, mail, mailPath, recording, recordingBytes } = reported.evidence;
  terminal.section(reported.title);
  terminal.fact("call", `${call.call_uuid}, ${call.from_number} → ${call.to_number}`);
  terminal.fact("ended", `${call.status}, ${call.ended_reason ?? "?"}`);
  terminal.fact("transcript", call.transcript ?? "");
  terminal.fact("summary", call.summary ?? "");
  terminal.fact(
    "recording",
    `${mail.attachment?.filename ?? ""}, MP3, ${seconds(recording.durationMs)}, ${Math.round(recordingBytes / 1024)} KB`,
  );
  terminal.fact("e-mail", `to ${mail.to}: ${relative(".", mailPath)}`);
  terminal.fact("billed", billLine(reported));
  terminal.fact("line", `${call.sip.codec ?? "?"}, MOS ${call.sip.mos ?? "?"}`);
  terminal.fact(
    "latency",
    `p50 ${call.latency.p50_ms ?? "–"} ms, p95 ${call.latency.p95_ms ?? "–"} ms`,
  );
  terminal.line();
  checkCall(reported, steps);
}

function billLine({ evidence: { call } }: ReportedCall): string {
  const { included_seconds, overage_seconds, overage_eur_per_min, cost_eur } = call.billing;
  const plan = `${included_seconds} s of the plan`;
  const wallet = `${overage_seconds} s at ${overage_eur_per_min} EUR/min from the wallet`;
  return `${call.billable_seconds} s = ${plan} + ${wallet} = ${cost_eur.toFixed(6)} EUR`;
}

function checkCall({ title, scene, evidence, eventsReceived }: ReportedCall, steps: Steps): void {
  const { call, mail } = evidence;
  for (const { expects, match } of scene.exchanges)
    if (expects !== null && match)
      steps.check(`${title}: heard “${expects}”`, match.isFound, matchLine(match));
  steps.check(`${title}: completed`, call.status === "completed", "");
  steps.check(`${title}: summary`, (call.summary ?? "").length > 10, "");
  steps.check(
    `${title}: transcript in the mail`,
    lastAgentLine(call.transcript) !== "" && mail.text.includes(lastAgentLine(call.transcript)),
    "",
  );
  steps.check(
    `${title}: both people in the MP3`,
    evidence.callerInRecording.isFound && evidence.agentInRecording.isFound,
    `caller left ${matchLine(evidence.callerInRecording)}, agent right ${matchLine(evidence.agentInRecording)}`,
  );
  steps.check(
    `${title}: recording deleted after the mail`,
    call.recording_status === "emailed_deleted",
    call.recording_status,
  );
  steps.check(
    `${title}: billed by the second, at least 15`,
    isRightBill(call.billable_seconds, scene.answeredMs),
    `${call.billable_seconds} s for ${seconds(scene.answeredMs)} by the phone's watch`,
  );
  checkEvents(title, eventsReceived, steps);
}

const EXPECTED_EVENTS = ["call.started", "call.answered", "call.ended", "transcript.completed"];

function checkEvents(title: string, events: ReportedCall["eventsReceived"], steps: Steps): void {
  const types = new Set(events.map(({ type }) => type));
  steps.check(
    `${title}: webhooks delivered, signatures right`,
    EXPECTED_EVENTS.every((type) => types.has(type)) && events.every(({ authentic }) => authentic),
    [...types].join(", "),
  );
}

/**
 * The agent's last line. If it is complete, the email's line folding did not damage the transcript.
 */
function lastAgentLine(transcript: string | null): string {
  const lines = (transcript ?? "").split("\n").filter((line) => line.startsWith("Agent: "));
  return lines.at(-1)?.slice("Agent: ".length, 60) ?? "";
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const matchLine = (match: SentenceMatch): string =>
  `${match.score.toFixed(2)} (next best ${match.bestDecoyScore.toFixed(2)})`;
