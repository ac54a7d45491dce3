/** What a carrier sees of the appliance on its trunk: its registrations, and whom it calls. */
import { type SipMessage, userOf } from "../../../src/adapter/sip/message/index.ts";

export type TrunkWatch = ReturnType<typeof watchTrunk>;

const LINES_MAX = 40;

/** `onMessage` is the carrier's; `sipPort`: of the appliance. */
export function watchTrunk(sipPort: number) {
  /** By the number they call, retransmissions once. */
  const invites = new Map<string, Set<string>>();
  let registrations = 0;
  /** How the REGISTERs of the running process went: what it says, when, with which CSeq. */
  let lines: string[] = [];
  let since = performance.now();
  function note(what: string) {
    const atMs = Math.round(performance.now() - since);
    if (lines.length < LINES_MAX) lines.push(`${atMs} ms ${what}`);
  }
  function onMessage(
    direction: "in" | "out",
    message: SipMessage | string,
    peer: { port: number },
  ) {
    if (peer.port !== sipPort) return;
    if (typeof message === "string") {
      const cseq = /^CSeq: (\d+) REGISTER/im.exec(message)?.[1];
      if (direction !== "out" || cseq === undefined) return;
      note(`${message.slice(8, 11)} to ${cseq}`);
      if (message.startsWith("SIP/2.0 200")) registrations++;
      return;
    }
    if (message.kind !== "request") return;
    if (message.method === "REGISTER") {
      const signed = message.headers.has("authorization") ? ", signed" : "";
      note(`REGISTER ${message.cseq.number}${signed}`);
    }
    if (message.method !== "INVITE") return;
    const number = userOf(message.uri);
    if (number === null || message.to.parameters.has("tag")) return;
    invites.set(number, (invites.get(number) ?? new Set()).add(message.callId));
    watch.onInvite?.(number);
  }
  const watch = {
    invites,
    onMessage,
    /** Told before the carrier does anything with it. */
    onInvite: null as ((number: string) => void) | null,
    registrations: () => registrations,
    begin() {
      lines = [];
      since = performance.now();
    },
    /** Of the REGISTERs since `begin`. */
    story: () => lines.join("; ") || "no REGISTER came",
  };
  return watch;
}
