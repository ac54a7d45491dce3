/**
 * What a trunk's registration and OPTIONS mean, in words for a person, each with its mend. Pure.
 * Where the far end says nothing the verdict is `unknown`, not a guess.
 */
import type { RegistrationStatus, TrunkProbe, TrunkSettings } from "./ports.ts";

export type Verdict = "ok" | "warning" | "failed" | "unknown";

export interface TrunkCheck {
  readonly name:
    | "registration"
    | "options"
    | "nat"
    | "codecs"
    | "dtmf"
    | "transfer"
    | "session_timer";
  readonly verdict: Verdict;
  /** One sentence: what was found. */
  readonly finding: string;
  /** What to do about it; null where nothing is to be done. */
  readonly mend: string | null;
}

export interface TrunkFacts {
  readonly settings: Pick<TrunkSettings, "server" | "port" | "transport">;
  readonly registration: RegistrationStatus;
  readonly probe: TrunkProbe;
  /** Ours, in order of preference. */
  readonly codecs: readonly string[];
  /** `auto` or an address. */
  readonly externalIp: string;
}

type Judged = Omit<TrunkCheck, "name">;

const ok = (finding: string): Judged => ({ verdict: "ok", finding, mend: null });
const unknown = (finding: string): Judged => ({ verdict: "unknown", finding, mend: null });
const warning = (finding: string, mend: string): Judged => ({ verdict: "warning", finding, mend });
const failed = (finding: string, mend: string): Judged => ({ verdict: "failed", finding, mend });

export function judgeTrunk(facts: TrunkFacts): readonly TrunkCheck[] {
  const { probe } = facts;
  const answered = probe.sipCode !== null;
  const checks: TrunkCheck[] = [
    { name: "registration", ...registrationOf(facts) },
    { name: "options", ...optionsOf(facts) },
    { name: "nat", ...natOf(facts) },
  ];
  if (!answered) return checks;
  return [
    ...checks,
    { name: "codecs", ...codecsOf(facts) },
    { name: "dtmf", ...dtmfOf(probe) },
    { name: "transfer", ...transferOf(probe) },
    { name: "session_timer", ...sessionTimerOf(probe) },
  ];
}

function registrationOf({ registration, probe }: TrunkFacts): Judged {
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
      // The server lives, so the way to it is not what is wrong.
      const reachable = probe.sipCode !== null && registration.lastCode === null;
      const mend = reachable
        ? "The server answers OPTIONS but not REGISTER: ask the provider whether it wants another server or outbound proxy for registrations."
        : "Mend that with `linevoice trunk set`; the next attempt is made at once.";
      return failed(`The registration failed${code}: ${registration.explanation}`, mend);
    }
  }
}

function optionsOf({ probe, settings }: TrunkFacts): Judged {
  const { sipCode, problem } = probe;
  const where = `${settings.server}:${settings.port} over ${settings.transport.toUpperCase()}`;
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

function natOf({ probe, externalIp }: TrunkFacts): Judged {
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

function codecsOf({ probe, codecs }: TrunkFacts): Judged {
  if (!probe.codecs) return unknown("The far end does not list its codecs; a call will tell.");
  const theirs = probe.codecs.map((name) => name.toLowerCase());
  const common = codecs.filter((name) => theirs.includes(name.toLowerCase()));
  const listed = probe.codecs.join(", ");
  return common.length > 0
    ? ok(`Calls can use ${common.join(" or ")}; the far end lists ${listed}.`)
    : failed(
        `The far end lists ${listed}, and we speak ${codecs.join(", ")}: no call could be heard.`,
        "Ask the provider to allow PCMA or PCMU (G.711) on this trunk.",
      );
}

function dtmfOf({ codecs }: TrunkProbe): Judged {
  if (!codecs) return unknown("The far end does not say how it sends digits.");
  return codecs.some((name) => name.toLowerCase() === "telephone-event")
    ? ok("Digits travel as telephone events (RFC 4733).")
    : warning(
        "The far end lists no telephone events: digits may not arrive.",
        "Ask the provider for RFC 4733 (RFC 2833) digits, or for SIP INFO.",
      );
}

function transferOf({ allow }: TrunkProbe): Judged {
  if (allow.length === 0) return unknown("The far end does not say whether it takes transfers.");
  return allow.includes("REFER")
    ? ok("The far end says it takes transfers (REFER).")
    : warning(
        "The far end does not list REFER: transfers to people may be refused.",
        "Ask the provider to allow REFER on this trunk.",
      );
}

function sessionTimerOf({ supported }: TrunkProbe): Judged {
  return supported.includes("timer")
    ? ok("The far end knows session timers (RFC 4028).")
    : unknown("The far end does not say whether it knows session timers.");
}
