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
      return ok("The trunk needs no registration: calls come in by address.");
    case "registering":
      return unknown("The registration is under way; ask again in a moment.");
    case "unregistered":
      return failed("The trunk is not registered: it is being removed.", "Set the trunk again.");
    case "failed": {
      const code = registration.lastCode === null ? "" : ` (code ${registration.lastCode})`;
      // The server responds, so the network path is not the problem.
      const reachable = probe.sipCode !== null && registration.lastCode === null;
      const remedy = reachable
        ? "The server answers OPTIONS but not REGISTER: ask the provider whether it wants another server or outbound proxy for registrations."
        : "Correct the account on the Trunk page or with `linevoice trunk set`; the next attempt is made at once.";
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
      problem ?? `Nothing answered OPTIONS at ${where}.`,
      "Check the server name, port and transport, and that the firewall lets them out and the answers in.",
    );
  }
  const answer = `The server answered OPTIONS in ${Math.round(probe.roundTripMs ?? 0)} ms`;
  if (sipCode < 300) return ok(`${answer}.`);
  if (sipCode === 401 || sipCode === 407 || sipCode === 403)
    return warning(
      `${answer} and refused us with code ${sipCode}.`,
      "Check the user name, the password and the realm. Some providers refuse OPTIONS only: then a registered trunk is all that counts.",
    );
  if (sipCode === 503 || sipCode === 408)
    return warning(
      `${answer} with code ${sipCode}: it is overloaded, or cannot reach what is behind it.`,
      "Try again later, or ask the provider.",
    );
  return ok(`${answer}; it has no use for OPTIONS (code ${sipCode}), which is no harm.`);
}

function natOf({ probe, externalIp }: TrunkFacts): CheckOutcome {
  const { seenAs, local, advertised } = probe;
  if (!seenAs) return unknown("The far end does not say from what address it sees us.");
  const seen = `${seenAs.host}:${seenAs.port}`;
  if (seenAs.host !== advertised.host && externalIp !== "auto")
    return failed(
      `The provider sees us at ${seen}, but [sip] external_ip says ${externalIp}: callers would hear nothing.`,
      `Set [sip] external_ip = "auto", or to ${seenAs.host}.`,
    );
  if (seenAs.host === local.host && seenAs.port === local.port)
    return ok(`There is no NAT on the way: the provider sees our own address ${seen}.`);
  if (seenAs.host !== advertised.host)
    return warning(
      `The provider sees us at ${seen}, while we call ourselves ${advertised.host}.`,
      "The address is learned with the next registration; a trunk without one wants it in [sip] external_ip.",
    );
  if (seenAs.host === local.host)
    return ok(`The provider sees our own address, with another port (${seen}); we use that one.`);
  const where = `a NAT: ${local.host} here is ${seenAs.host} outside, and so it stands in our SDP`;
  if (seenAs.port === local.port) return ok(`We are behind ${where}.`);
  return warning(
    `We are behind ${where}. It changes ports (${local.port} became ${seenAs.port}).`,
    "Audio works where the provider sends it back to where ours comes from (most do). If callers hear nothing, forward the [rtp] ports to this machine.",
  );
}

const ALTERED: Readonly<Record<AlgSign, string>> = {
  via: "our address in Via came back as another",
  call_id: "our address in Call-ID came back as another",
  from: "From came back altered",
  to: "To came back altered",
  contact: "the registrar holds another address than we sent in Contact",
  swallowed: "a request was answered only in an unusual spelling",
};

/** Reports only positive signs: their absence proves nothing. */
function algOf({ probe, settings }: TrunkFacts): CheckOutcome {
  const signs = probe.algSigns.map((sign) => ALTERED[sign]).join("; ");
  const remedy =
    settings.transport === "tls"
      ? "Ask the provider: nothing else can alter what is encrypted."
      : "Switch off SIP ALG in the router (also called SIP helper, SIP fixup, SIP inspection; on a Linux router: modprobe -r nf_nat_sip nf_conntrack_sip), or set the trunk to --transport tls.";
  return warning(`Something on the way rewrites SIP: ${signs}.`, remedy);
}

function codecsOf({ probe, codecs }: TrunkFacts): CheckOutcome {
  if (!probe.codecs) return unknown("The far end does not list its codecs; a call will tell.");
  const remoteCodecs = probe.codecs.map((name) => name.toLowerCase());
  const common = codecs.filter((name) => remoteCodecs.includes(name.toLowerCase()));
  const listed = probe.codecs.join(", ");
  return common.length > 0
    ? ok(`Calls can use ${common.join(" or ")}; the far end lists ${listed}.`)
    : failed(
        `The far end lists ${listed}, and we speak ${codecs.join(", ")}: no call could be heard.`,
        "Ask the provider to allow PCMA or PCMU (G.711) on this trunk.",
      );
}

function serversOf({ probe, settings }: TrunkFacts): CheckOutcome {
  const { servers } = probe;
  if (servers.length === 0)
    return failed(
      probe.problem ?? `The name ${settings.server} leads to no server.`,
      "Check its spelling with `linevoice trunk list`, and this machine's DNS.",
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
      `All servers of the trunk failed a short while ago: ${listed}.`,
      "Check the server name, port and transport, and that the firewall lets them out and the answers in.",
    );
  if (bad.length > 0)
    return warning(
      `${bad.length} of the trunk's ${servers.length} servers failed a short while ago; calls go to the others. In order: ${listed}.`,
      "No action needed unless it persists; then ask the provider.",
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
      "Call a number of your own. If that fails too, ask the provider whether calls of this trunk are allowed from this address.",
    );
  if (REJECTIONS.has(code))
    return warning(
      `A test call to nobody was refused with code ${code}. Some providers say that of every number they do not know.`,
      "Call a number of your own. If that is refused too, check the password and the caller id, and ask the provider whether the trunk may place calls.",
    );
  if (code === 488 || code === 606)
    return failed(
      `A test call was refused for its media (code ${code}): no call could be heard.`,
      "Ask the provider for its codecs, and whether it wants encrypted media; then set [sip] codecs and srtp.",
    );
  if (code >= 500 && code < 600)
    return warning(
      `A test call to nobody failed in the provider's network (code ${code}).`,
      "Call a number of your own; if that fails too, try again later, or ask the provider.",
    );
  return ok(`The provider takes calls of this trunk (a test call to nobody ended with ${code}).`);
}

function dtmfOf({ codecs, allow, accept }: TrunkProbe): CheckOutcome {
  const byEvent = codecs?.some((name) => name.toLowerCase() === "telephone-event") ?? false;
  if (byEvent) return ok("Digits travel as telephone events (RFC 4733).");
  const byInfo = accept.some((type) => DTMF_TYPES.includes(type));
  if (byInfo) return ok("Digits travel as SIP INFO, which the far end takes and we read.");
  const maybe = allow.includes("INFO") ? " It lists INFO, which may carry them." : "";
  if (!codecs) return unknown(`The far end does not say how it sends digits.${maybe}`);
  return warning(
    `The far end lists no telephone events: digits may arrive as tones only.${maybe}`,
    "Ask the provider for RFC 4733 (RFC 2833) digits, or for SIP INFO.",
  );
}

function holdOf({ allow }: TrunkProbe): CheckOutcome {
  if (allow.length === 0)
    return unknown("The far end does not say whether a call can be changed; hold uses re-INVITE.");
  if (!allow.includes("INVITE"))
    return warning(
      "The far end does not list INVITE, so that hold may fail.",
      "Ask the provider whether it takes re-INVITE.",
    );
  const update = allow.includes("UPDATE") ? " and by UPDATE" : "";
  return ok(`Hold and other changes in a call are possible by re-INVITE${update}.`);
}

function transferOf({ allow, supported }: TrunkProbe): CheckOutcome {
  if (allow.length === 0) return unknown("The far end does not say whether it takes transfers.");
  if (!allow.includes("REFER"))
    return warning(
      "The far end does not list REFER: calls are handed to people by joining two calls here, which takes two lines.",
      "To save the second line, ask the provider to allow REFER on this trunk.",
    );
  const attended = supported.includes("replaces") ? ", also after a word with the person" : "";
  return ok(`The far end says it takes transfers (REFER)${attended}.`);
}

function sessionTimerOf({ supported, allow }: TrunkProbe): CheckOutcome {
  if (supported.includes("timer")) return ok("The far end knows session timers (RFC 4028).");
  return supported.length > 0 && allow.length > 0
    ? ok(
        "The far end lists no session timers: a call whose far end is gone ends when its audio stops.",
      )
    : unknown("The far end does not say whether it knows session timers.");
}
