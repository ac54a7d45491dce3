/**
 * Tests a trunk without a conversation: one OPTIONS (RFC 3261 11), and one INVITE to a user that is
 * not a telephone number, so no call can be charged. Reports whether and how fast the remote party
 * responds, its capabilities, and whether it accepts our calls. Also reports the address it saw us
 * from (RFC 3581), and whether the messages were rewritten on the way (a SIP ALG). trunk-checks.ts
 * evaluates the results.
 */

import { isIP } from "node:net";
import type {
  AlgSign,
  ProbedServer,
  ProbeOptions,
  SeenAddress,
  TrunkProbe,
  TrunkSettings,
} from "../call/sip-port.ts";
import { type Clock, within } from "../core/clock.ts";
import { staticCodec } from "../core/codecs.ts";
import { hex } from "../core/ids.ts";
import type { Random } from "../core/random.ts";
import { oddlySpelled, type SentHeaders, signsInEcho } from "./alg-detection.ts";
import { ACCEPT, ALLOW, SUPPORTED } from "./capabilities.ts";
import type { RequestAuthorisation, TrunkCredentials } from "./credentials.ts";
import { buildRequest, mediaTypeOf, type SipResponse, sdpIn } from "./message/index.ts";
import { parseVia } from "./message/via.ts";
import { hostForUri } from "./registration.ts";
import type { Answered } from "./route-set.ts";

type Method = "OPTIONS" | "INVITE";

export interface ProbeDeps {
  readonly settings: TrunkSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly credentials: TrunkCredentials;
  readonly userAgent: string;
  /**
   * Sends a request to the trunk's server. Resolves with null if there is no response or no route.
   * An INVITE is ended at the first progress: cancelled when it rings, hung up when it is answered.
   */
  ask(method: Method, compose: (via: string) => string): Promise<Answered | null>;
  /** Reason for the missing response, as text for the user; null if unknown. */
  noAnswerReason(): string | null;
  contactUri(): string;
  /** Value of the Route header; empty if none. */
  route(): string;
  /** Our address in Contact and SDP, and our local address. */
  addresses(): { readonly advertised: SeenAddress; readonly local: SeenAddress };
  /** The servers behind the trunk's name, in order. */
  servers(): readonly ProbedServer[];
  /** The registrar returned another Contact than we sent. */
  readonly isContactAltered: boolean;
  /** An SDP offer with everything we support; media is never sent. */
  offer(): string;
}

const PROBE_MS_MAX = 10_000;
const CALL_MS_MAX = 8000;
/** A request with unusual spelling is answered quickly or not at all. */
const ODD_MS_MAX = 4000;

interface Answer {
  readonly response: SipResponse;
  readonly roundTripMs: number;
  readonly remote: SeenAddress;
  readonly said: SentHeaders | null;
}

/** Resolves within about 18 s; never rejects. */
export async function probeTrunk(
  deps: ProbeDeps,
  { calls = true, onProgress }: ProbeOptions = {},
): Promise<TrunkProbe> {
  const limited = (limitMs: number, asked: Promise<Answer | null>) =>
    within(
      deps.clock,
      limitMs,
      asked.catch(() => null),
    );
  onProgress?.({ ...unanswered(deps), pending: "options" });
  const usual = await limited(PROBE_MS_MAX, ask(deps, "OPTIONS"));
  const odd = usual ? null : await limited(ODD_MS_MAX, ask(deps, "OPTIONS", oddlySpelled));
  const options = usual ?? odd;
  if (!options) return { ...unanswered(deps), problem: deps.noAnswerReason() };
  const answered = {
    ...answeredBy(deps, options, null),
    algSigns: algSigns(deps, options, !usual),
  };
  if (!calls) return answered;
  onProgress?.({ ...answered, pending: "call" });
  const call = await limited(CALL_MS_MAX, ask(deps, "INVITE"));
  return {
    ...answered,
    ...answeredBy(deps, options, call),
    call: { sipCode: call?.response.statusCode ?? null },
  };
}

const unanswered = (deps: ProbeDeps): TrunkProbe => ({
  ...deps.addresses(),
  servers: deps.servers(),
  pending: null,
  problem: null,
  remote: null,
  sipCode: null,
  roundTripMs: null,
  seenAs: null,
  codecs: null,
  allow: [],
  supported: [],
  accept: [],
  call: null,
  algSigns: [],
});

/** Combined result of the responses to OPTIONS and to the test call. */
function answeredBy(deps: ProbeDeps, options: Answer, call: Answer | null) {
  const { response, roundTripMs, remote } = options;
  const said = call ? [response, call.response] : [response];
  const listed = (field: string) => [...new Set(said.flatMap(({ headers }) => headers.all(field)))];
  return {
    ...unanswered(deps),
    remote,
    roundTripMs,
    sipCode: response.statusCode,
    seenAs: seenAs(response),
    codecs: said.map(codecsIn).find((codecs) => codecs !== null) ?? null,
    allow: listed("allow").map((method) => method.toUpperCase()),
    supported: listed("supported").map((option) => option.toLowerCase()),
    accept: listed("accept").map(mediaTypeOf),
  };
}

function algSigns(deps: ProbeDeps, { said, response }: Answer, isOdd: boolean): AlgSign[] {
  return [
    ...(said ? signsInEcho(said, response) : []),
    ...(deps.isContactAltered ? (["contact"] as const) : []),
    ...(isOdd ? (["swallowed"] as const) : []),
  ];
}

/** Repeats the request with credentials if it is challenged. */
async function ask(
  deps: ProbeDeps,
  method: Method,
  spelled: (text: string) => string = (text) => text,
): Promise<Answer | null> {
  const authorisation = deps.credentials.authorisation();
  const identity: Identity = {
    spelled,
    // Contains our own address: an ALG that rewrites every address also changes this one.
    callId: `${hex(deps.random.bytes(16))}@${hostForUri(deps.addresses().local.host)}`,
    fromTag: hex(deps.random.bytes(8)),
    uri: method === "OPTIONS" ? uriOf(deps.settings) : unassignedUri(deps),
  };
  let answer = await send(deps, method, identity, 1, authorisation);
  for (let cseq = 2; answer; cseq++) {
    if (!deps.credentials.answers(answer.response, authorisation)) return answer;
    answer = (await send(deps, method, identity, cseq, authorisation)) ?? answer;
  }
  return answer;
}

const uriOf = ({ server }: TrunkSettings): string => `sip:${hostForUri(server)}`;

/** Only letters, so that no dialling plan takes it for a number. */
function unassignedUri({ settings, random }: ProbeDeps): string {
  const letters = [...random.bytes(12)].map((byte) => String.fromCharCode(97 + (byte % 26)));
  return `sip:linevoice-test-${letters.join("")}@${hostForUri(settings.server)}`;
}

interface Identity {
  readonly callId: string;
  readonly fromTag: string;
  readonly uri: string;
  spelled(text: string): string;
}

async function send(
  deps: ProbeDeps,
  method: Method,
  { callId, fromTag, uri, spelled }: Identity,
  cseq: number,
  authorisation: RequestAuthorisation,
): Promise<Answer | null> {
  const { settings, clock } = deps;
  const authorizationHeaders = authorisation.headers(method, uri);
  const fromUri = `sip:${settings.username}@${hostForUri(settings.server)}`;
  const own = `<${fromUri}>`;
  const route = deps.route();
  let said: SentHeaders | null = null;
  const calling = method === "INVITE";
  let sentAtMs = clock.monotonic();
  const compose = (via: string) => {
    sentAtMs = clock.monotonic();
    const parsed = parseVia(via);
    said = parsed ? { via: parsed, callId, fromUri, fromTag, toUri: uri } : null;
    const text = buildRequest({
      method,
      uri,
      headers: [
        ["Via", via],
        ["Max-Forwards", 70],
        ...(route === "" ? [] : [["Route", route] as const]),
        ["From", `${own};tag=${fromTag}`],
        ["To", `<${uri}>`],
        ["Call-ID", callId],
        ["CSeq", `${cseq} ${method}`],
        ["Contact", `<${deps.contactUri()}>`],
        ["Accept", calling ? "application/sdp" : ACCEPT],
        ["Allow", ALLOW],
        ["Supported", SUPPORTED],
        ["User-Agent", deps.userAgent],
        ...authorizationHeaders,
        ...(calling ? ([["Content-Type", "application/sdp"]] as const) : []),
      ],
      body: calling ? deps.offer() : "",
    });
    return spelled(text);
  };
  const answered = await deps.ask(method, compose);
  if (!answered) return null;
  const { response, flow } = answered;
  return { response, roundTripMs: clock.monotonic() - sentAtMs, remote: flow.remote, said };
}

function seenAs({ via }: SipResponse): SeenAddress | null {
  const host = via.parameters.get("received") ?? "";
  const rport = Number(via.parameters.get("rport") ?? Number.NaN);
  const port = rport >= 1 && rport <= 65_535 ? rport : null;
  if (isIP(host) !== 0) return { host, port: port ?? via.port ?? 5060 };
  return port === null ? null : { host: via.host.replace(/^\[|\]$/g, ""), port };
}

/** Static types of RFC 3551 that we do not support but that occur. */
const FOREIGN_NAMES: Readonly<Record<string, string>> = { 3: "GSM", 4: "G723", 18: "G729" };

const codecsIn = ({ headers, body }: SipResponse): readonly string[] | null =>
  codecsOf(sdpIn(headers.get("content-type") ?? "application/sdp", body) ?? "");

/** Encoding names of the audio stream, e.g. `PCMA`, `telephone-event`; null without SDP. */
function codecsOf(sdp: string): readonly string[] | null {
  const formats = /^m=audio \d+ \S+((?: \d+)+)\s*$/m.exec(sdp)?.[1];
  if (formats === undefined) return null;
  const names = new Map(
    [...sdp.matchAll(/^a=rtpmap:(\d+) ([^/\s]+)/gm)].map((line) => [line[1] ?? "", line[2] ?? ""]),
  );
  const listed = formats.trim().split(" ");
  const found = listed.map(
    (format) => names.get(format) ?? staticCodec(Number(format)) ?? FOREIGN_NAMES[format],
  );
  return found.filter((name): name is string => name !== undefined);
}
