/**
 * Explains the results of a trunk's registration, OPTIONS and test call as text for the user, each
 * with a remedy. Pure. If the remote party gives no information, the result is `unknown`.
 */

import type { AlgSign, RegistrationStatus, TrunkProbe, TrunkSettings } from "../call/sip-port.ts";
import { DTMF_TYPES } from "./session/dtmf-info.ts";

type TrunkCheckResult = "ok" | "warning" | "failed" | "unknown";

export interface TrunkCheck {
  readonly name:
    | "registration"
    | "servers"
    | "options"
    | "nat"
    | "alg"
    | "calls"
    | "codecs"
    | "dtmf"
    | "hold"
    | "transfer"
    | "session_timer";
  readonly result: TrunkCheckResult;
  /** The result in one sentence. */
  readonly finding: string;
  /** Remedy; null if none is needed. */
  readonly remedy: string | null;
}

export interface TrunkFacts {
  readonly settings: Pick<TrunkSettings, "server" | "port" | "transport">;
  readonly registration: RegistrationStatus;
  readonly probe: TrunkProbe;
  /** Our codecs, in order of preference. */
  readonly codecs: readonly string[];
  /** `auto` or an address. */
  readonly externalIp: string;
}

type CheckOutcome = Omit<TrunkCheck, "name">;

const ok = (finding: string): CheckOutcome => ({ result: "ok", finding, remedy: null });
const unknown = (finding: string): CheckOutcome => ({ result: "unknown", finding, remedy: null });
const warning = (finding: string, remedy: string): CheckOutcome => ({
  result: "warning",
  finding,
  remedy,
});
const failed = (finding: string, remedy: string): CheckOutcome => ({
  result: "failed",
  finding,
  remedy,
});

/** While a request is pending, returns only the checks whose result cannot change. */
export function assessTrunk(facts: TrunkFacts): readonly TrunkCheck[] {
  const { probe } = facts;
  const answered = probe.sipCode !== null;
  if (probe.pending === "options")
    return facts.registration.name === "failed"
      ? []
      : [{ name: "registration", ...registrationOf(facts) }];
  const checks: TrunkCheck[] = [
    { name: "registration", ...registrationOf(facts) },
    { name: "options", ...optionsOf(facts) },
    { name: "servers", ...serversOf(facts) },
    { name: "nat", ...natOf(facts) },
    ...(probe.algSigns.length > 0 ? [{ name: "alg", ...algOf(facts) } as const] : []),
  ];
  if (!answered || probe.pending === "call") return checks;
  return [
    ...checks,
    ...(probe.call === null ? [] : [{ name: "calls", ...callsOf(probe.call) } as const]),
    { name: "codecs", ...codecsOf(facts) },
    { name: "dtmf", ...dtmfOf(probe) },
    { name: "hold", ...holdOf(probe) },
    { name: "transfer", ...transferOf(probe) },
    { name: "session_timer", ...sessionTimerOf(probe) },
  ];
}

function registrationOf({ registration, probe }: TrunkFacts): CheckOutcome {
  switch (registration.name) {
    case "registered":
      return ok("The trunk is registered.");
    case "not_required":
      return ok("The trunk does not register: calls are recognised by their address.");
    case "registering":
      return unknown("The registration is in progress. Test again in a moment.");
    case "unregistered":
      return failed("The trunk is not registered: it is being removed.", "Set the trunk again.");
    case "failed": {
      const code = registration.lastCode === null ? "" : ` (code ${registration.lastCode})`;
      // The server responds, so the network path is not the problem.
      const reachable = probe.sipCode !== null && registration.lastCode === null;
      const remedy = reachable
        ? "The server responds to OPTIONS but not to REGISTER. Ask the provider whether it requires another server or outbound proxy for registrations."
        : "Correct the server, user name and password of the trunk. The trunk then registers again at once.";
      return failed(`The registration failed${code}: ${registration.explanation}`, remedy);
    }
  }
}

function optionsOf({ probe, settings }: TrunkFacts): CheckOutcome {
  const { sipCode, problem } = probe;
  const place = settings.port === 0 ? settings.server : `${settings.server}:${settings.port}`;
  const where =
    settings.transport === "auto" ? place : `${place} over ${settings.transport.toUpperCase()}`;
  if (sipCode === null) {
    return failed(
      problem ?? `No response to OPTIONS from ${where}.`,
      "Check the server name, port and transport, and whether the firewall allows the requests and the responses.",
    );
  }
  const answer = `The server answered OPTIONS in ${Math.round(probe.roundTripMs ?? 0)} ms`;
  if (sipCode < 300) return ok(`${answer}.`);
  if (sipCode === 401 || sipCode === 407 || sipCode === 403)
    return warning(
      `${answer} and refused us with code ${sipCode}.`,
      "Check the user name, password and realm. Some providers reject only OPTIONS. You can ignore this if the trunk is registered.",
    );
  if (sipCode === 503 || sipCode === 408)
    return warning(
      `${answer} with code ${sipCode}: it is overloaded, or cannot reach its own network.`,
      "Try again later, or ask the provider.",
    );
  return ok(`${answer}. It does not support OPTIONS (code ${sipCode}), which is harmless.`);
}

function natOf({ probe, externalIp }: TrunkFacts): CheckOutcome {
  const { seenAs, local, advertised } = probe;
  if (!seenAs) return unknown("The far end does not report our public address.");
  const seen = `${seenAs.host}:${seenAs.port}`;
  if (seenAs.host !== advertised.host && externalIp !== "auto")
    return failed(
      `The provider sees us at ${seen}, but [sip] external_ip is ${externalIp}: callers would hear nothing.`,
      `Set [sip] external_ip = "auto", or to ${seenAs.host}.`,
    );
  if (seenAs.host === local.host && seenAs.port === local.port)
    return ok(`There is no NAT: the provider sees our own address ${seen}.`);
  if (seenAs.host !== advertised.host)
    return warning(
      `The provider sees us at ${seen}, but we send ${advertised.host} as our address.`,
      "The address is learned at the next registration. For a trunk without registration, set [sip] external_ip.",
    );
  if (seenAs.host === local.host)
    return ok(`The provider sees our own address with another port (${seen}). We use that port.`);
  const where = `a NAT: ${local.host} here is ${seenAs.host} outside, and we use the outside address in SDP`;
  if (seenAs.port === local.port) return ok(`We are behind ${where}.`);
  return warning(
    `We are behind ${where}. It changes ports (${local.port} became ${seenAs.port}).`,
    "Audio works if the provider sends it to the address from which our audio comes (most do). If callers hear nothing, forward the [rtp] ports to this machine.",
  );
}

const ALTERED: Readonly<Record<AlgSign, string>> = {
  via: "our address in Via came back changed",
  call_id: "our address in Call-ID came back changed",
  from: "From came back changed",
  to: "To came back changed",
  contact: "the registrar stored another address than we sent in Contact",
  swallowed: "requests get a response only in an unusual spelling",
};

/** Reports only positive signs: their absence proves nothing. */
function algOf({ probe, settings }: TrunkFacts): CheckOutcome {
  const signs = probe.algSigns.map((sign) => ALTERED[sign]).join("; ");
  const remedy =
    settings.transport === "tls"
      ? "Ask the provider: nobody else can change encrypted messages."
      : "Switch off SIP ALG in the router (also called SIP helper, SIP fixup, SIP inspection; on a Linux router: modprobe -r nf_nat_sip nf_conntrack_sip), or set the trunk to --transport tls.";
  return warning(`A device on the way rewrites SIP: ${signs}.`, remedy);
}

function codecsOf({ probe, codecs }: TrunkFacts): CheckOutcome {
  if (!probe.codecs)
    return unknown("The far end does not list its codecs. Place a call to check them.");
  const remoteCodecs = probe.codecs.map((name) => name.toLowerCase());
  const common = codecs.filter((name) => remoteCodecs.includes(name.toLowerCase()));
  const listed = probe.codecs.join(", ");
  return common.length > 0
    ? ok(`Calls can use ${common.join(" or ")}; the far end lists ${listed}.`)
    : failed(
        `The far end lists ${listed}, but we support ${codecs.join(", ")}: calls would have no audio.`,
        "Ask the provider to allow PCMA or PCMU (G.711) on this trunk.",
      );
}

function serversOf({ probe, settings }: TrunkFacts): CheckOutcome {
  const { servers } = probe;
  if (servers.length === 0)
    return failed(
      probe.problem ?? `The name ${settings.server} does not resolve to a server.`,
      "Check the spelling with `linevoice trunk list`, and this machine's DNS.",
    );
  const listed = servers
    .map(({ host, port, transport }) => {
      const address = host.includes(":") ? `[${host}]` : host;
      return `${address}:${port} (${transport.toUpperCase()})`;
    })
    .join(", ");
  const bad = servers.filter((server) => server.failed);
  if (bad.length === servers.length)
    return failed(
      `All servers of the trunk failed recently: ${listed}.`,
      "Check the server name, port and transport, and whether the firewall allows the requests and the responses.",
    );
  if (bad.length > 0)
    return warning(
      `${bad.length} of the trunk's ${servers.length} servers failed recently. Calls go to the others. In order: ${listed}.`,
      "Ask the provider only if the problem continues.",
    );
  return servers.length === 1
    ? ok(`The trunk has one server: ${listed}.`)
    : ok(`The trunk has ${servers.length} servers, tried in this order: ${listed}.`);
}

const REJECTIONS: ReadonlySet<number> = new Set([401, 402, 403, 407]);

/** The INVITE went to a user that is not a number: "not found" is the desired response. */
function callsOf({ sipCode: code }: NonNullable<TrunkProbe["call"]>): CheckOutcome {
  if (code === null)
    return warning(
      "A test call to an unassigned number got no response.",
      "Call one of your phones. If that fails too, ask the provider whether this trunk can place calls from this address.",
    );
  if (REJECTIONS.has(code))
    return warning(
      `A test call to an unassigned number was rejected with code ${code}. Some providers reject every unknown number with this code.`,
      "Call one of your phones. If the provider rejects it too, check the password and the caller ID, and ask the provider whether the trunk can place calls.",
    );
  if (code === 488 || code === 606)
    return failed(
      `A test call was rejected because of its media (code ${code}): calls would have no audio.`,
      "Ask the provider for its codecs and whether it requires encrypted media. Then set [sip] codecs and srtp.",
    );
  if (code >= 500 && code < 600)
    return warning(
      `A test call to an unassigned number failed in the provider's network (code ${code}).`,
      "Call one of your phones. If that fails too, try again later or ask the provider.",
    );
  return ok(
    `The provider accepts calls of this trunk (a test call to an unassigned number ended with ${code}).`,
  );
}

function dtmfOf({ codecs, allow, accept }: TrunkProbe): CheckOutcome {
  const byEvent = codecs?.some((name) => name.toLowerCase() === "telephone-event") ?? false;
  if (byEvent) return ok("Digits are sent as telephone events (RFC 4733).");
  const byInfo = accept.some((type) => DTMF_TYPES.includes(type));
  if (byInfo) return ok("Digits are sent as SIP INFO, which both sides support.");
  const maybe = allow.includes("INFO") ? " It lists INFO, which can transport them." : "";
  if (!codecs) return unknown(`The far end does not report how it sends digits.${maybe}`);
  return warning(
    `The far end lists no telephone events: digits may arrive only as tones.${maybe}`,
    "Ask the provider for RFC 4733 (RFC 2833) digits, or for SIP INFO.",
  );
}

function holdOf({ allow }: TrunkProbe): CheckOutcome {
  if (allow.length === 0)
    return unknown(
      "The far end does not report whether a call can be changed. Hold uses re-INVITE.",
    );
  if (!allow.includes("INVITE"))
    return warning(
      "The far end does not list INVITE, so hold may fail.",
      "Ask the provider whether it supports re-INVITE.",
    );
  const update = allow.includes("UPDATE") ? " and by UPDATE" : "";
  return ok(`Hold and other changes in a call are possible with re-INVITE${update}.`);
}

function transferOf({ allow, supported }: TrunkProbe): CheckOutcome {
  if (allow.length === 0)
    return unknown("The far end does not report whether it supports transfers.");
  if (!allow.includes("REFER"))
    return warning(
      "The far end does not list REFER: a transfer connects two calls here, which uses two lines.",
      "To save the second line, ask the provider to allow REFER on this trunk.",
    );
  const attended = supported.includes("replaces") ? ", also attended transfers" : "";
  return ok(`The far end supports transfers (REFER)${attended}.`);
}

function sessionTimerOf({ supported, allow }: TrunkProbe): CheckOutcome {
  if (supported.includes("timer")) return ok("The far end supports session timers (RFC 4028).");
  return supported.length > 0 && allow.length > 0
    ? ok(
        "The far end lists no session timers: if the far end disappears, the call ends when its audio stops.",
      )
    : unknown("The far end does not report whether it supports session timers.");
}
