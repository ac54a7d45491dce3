/**
 * One OPTIONS through a trunk (RFC 3261 11): whether the far end answers, how fast, what it says
 * it can do, and from what address it saw us (RFC 3581). Judges nothing: see trunk-verdicts.ts.
 */
import { isIP } from "node:net";
import type { Clock, Timer } from "../core/clock.ts";
import { hex } from "../core/ids.ts";
import type { Random } from "../core/random.ts";
import { kindOf, type RequestAuthorisation, type TrunkCredentials } from "./credentials.ts";
import { buildRequest, type SipResponse } from "./message/index.ts";
import type { SeenAddress, TrunkProbe, TrunkSettings } from "./ports.ts";
import { hostForUri } from "./registration.ts";
import type { Answered } from "./trunk-path.ts";

export interface ProbeDeps {
  readonly settings: TrunkSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly credentials: TrunkCredentials;
  readonly userAgent: string;
  /** Asks the trunk's server; null: no answer, or no way. */
  ask(compose: (via: string) => string): Promise<Answered | null>;
  /** Why there was none, for a person; null: not known. */
  whySilent(): string | null;
  contactUri(): string;
  /** What we call ourselves in Contact and SDP, and what we are on this machine. */
  addresses(): { readonly advertised: SeenAddress; readonly local: SeenAddress };
}

const PROBE_MS_MAX = 10_000;

interface Answer {
  readonly response: SipResponse;
  readonly roundTripMs: number;
  readonly remote: SeenAddress;
}

/** Resolves within some 10 s; never rejects. */
export async function probeTrunk(deps: ProbeDeps): Promise<TrunkProbe> {
  let timer: Timer | undefined;
  const tooLate = new Promise<null>((resolve) => {
    timer = deps.clock.after(PROBE_MS_MAX, () => resolve(null));
  });
  const answer = await Promise.race([ask(deps).catch(() => null), tooLate]);
  timer?.cancel();
  const addresses = deps.addresses();
  if (!answer) {
    return {
      ...{
        ...addresses,
        remote: null,
        sipCode: null,
        roundTripMs: null,
        problem: deps.whySilent(),
      },
      ...{ seenAs: null, codecs: null, allow: [], supported: [] },
    };
  }
  const { response, roundTripMs, remote } = answer;
  const { headers } = response;
  return {
    ...addresses,
    remote,
    roundTripMs,
    problem: null,
    sipCode: response.statusCode,
    seenAs: seenAs(response),
    codecs: codecsOf(response.body),
    allow: headers.all("allow").map((method) => method.toUpperCase()),
    supported: headers.all("supported").map((option) => option.toLowerCase()),
  };
}

/** Asked again with credentials when challenged. */
async function ask(deps: ProbeDeps): Promise<Answer | null> {
  const callId = hex(deps.random.bytes(16));
  const authorisation = deps.credentials.authorisation();
  let answer = await send(deps, callId, 1, authorisation);
  for (let cseq = 2; answer; cseq++) {
    const { response } = answer;
    if (response.statusCode !== 401 && response.statusCode !== 407) return answer;
    const challenge = deps.credentials.pick(response);
    if (!challenge || !authorisation.take(kindOf(response.statusCode), challenge)) return answer;
    answer = (await send(deps, callId, cseq, authorisation)) ?? answer;
  }
  return answer;
}

const uriOf = ({ server }: TrunkSettings): string => `sip:${hostForUri(server)}`;

async function send(
  deps: ProbeDeps,
  callId: string,
  cseq: number,
  authorisation: RequestAuthorisation,
): Promise<Answer | null> {
  const { settings, clock, random } = deps;
  const fromTag = hex(random.bytes(8));
  const proofs = authorisation.headers("OPTIONS", uriOf(settings));
  const identity = `<sip:${settings.username}@${hostForUri(settings.server)}>`;
  let sentAtMs = clock.monotonic();
  const compose = (via: string) => {
    sentAtMs = clock.monotonic();
    return buildRequest({
      method: "OPTIONS",
      uri: uriOf(settings),
      headers: [
        ["Via", via],
        ["Max-Forwards", 70],
        ["From", `${identity};tag=${fromTag}`],
        ["To", `<${uriOf(settings)}>`],
        ["Call-ID", callId],
        ["CSeq", `${cseq} OPTIONS`],
        ["Contact", `<${deps.contactUri()}>`],
        ["Accept", "application/sdp"],
        ["User-Agent", deps.userAgent],
        ...proofs,
      ],
    });
  };
  const answered = await deps.ask(compose);
  if (!answered) return null;
  const { response, flow } = answered;
  return { response, roundTripMs: clock.monotonic() - sentAtMs, remote: flow.remote };
}

function seenAs({ via }: SipResponse): SeenAddress | null {
  const host = via.parameters.get("received") ?? "";
  const rport = Number(via.parameters.get("rport") ?? Number.NaN);
  const port = rport >= 1 && rport <= 65_535 ? rport : null;
  if (isIP(host) !== 0) return { host, port: port ?? via.port ?? 5060 };
  return port === null ? null : { host: via.host.replace(/^\[|\]$/g, ""), port };
}

const STATIC_NAMES: Readonly<Record<string, string>> = {
  0: "PCMU",
  3: "GSM",
  4: "G723",
  8: "PCMA",
  9: "G722",
  18: "G729",
};

/** Encoding names of the audio stream, e.g. `PCMA`, `telephone-event`; null without SDP. */
export function codecsOf(sdp: string): readonly string[] | null {
  const formats = /^m=audio \d+ \S+((?: \d+)+)\s*$/m.exec(sdp)?.[1];
  if (formats === undefined) return null;
  const names = new Map(
    [...sdp.matchAll(/^a=rtpmap:(\d+) ([^/\s]+)/gm)].map((line) => [line[1] ?? "", line[2] ?? ""]),
  );
  const listed = formats.trim().split(" ");
  const found = listed.map((format) => names.get(format) ?? STATIC_NAMES[format]);
  return found.filter((name): name is string => name !== undefined);
}
