/**
 * The measured process: our SIP stack alone, which answers every call. Exits when standard input
 * ends.
 */
import { silentLog } from "../../src/core/log.ts";
import { startStack, trunkSettings } from "../../test/support/sip/sip-stack.ts";
import { CALLER, OURS, type SignallingTarget } from "./hosts.ts";

// Raised, because otherwise the stack's limit of new calls per second would be measured.
const stack = await startStack(OURS, silentLog, { newCallsPerSecond: 10_000 });
stack.addTrunk(trunkSettings({ server: CALLER, register: false }));
stack.onIncoming((leg) => void leg.answer({ host: OURS, port: 40_000 }));
const target: Pick<SignallingTarget, "sip" | "pid"> = {
  sip: `${stack.localAddress.host}:${stack.localAddress.port}`,
  pid: process.pid,
};
console.log(JSON.stringify(target));
await new Response(Bun.stdin.stream()).text();
await stack.close();
process.exit(0);
