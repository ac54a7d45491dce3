/** The appliance's messages on its trunk at the carrier: registrations and called numbers. */
import { type SipMessage, userOf } from "../../../src/sip/message/index.ts";

export type TrunkWatch = ReturnType<typeof watchTrunk>;

const LINES_MAX = 40;

/** `onMessage`: for the carrier's hook; `sipPort`: port of the appliance. */
export function watchTrunk(sipPort: number) {
  /** Call-IDs by called number, without retransmissions. */
  const invites = new Map<string, Set<string>>();
  let registrations = 0;
  /** REGISTERs and their responses of the running process, with time and CSeq. */
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
    /** Called before the carrier handles the INVITE. */
    onInvite: null as ((number: string) => void) | null,
    registrations: () => registrations,
    begin() {
      lines = [];
      since = performance.now();
    },
    /** The REGISTERs since `begin` as text. */
    story: () => lines.join("; ") || "no REGISTER came",
  };
  return watch;
}
