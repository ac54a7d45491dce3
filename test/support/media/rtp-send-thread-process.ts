/**
 * A process that sends through a send thread. Prints as JSON what arrived and the scheduling policies
 * of its threads (proc(5), field 41 of `stat`).
 */
import { readdirSync, readFileSync } from "node:fs";
import { systemClock } from "../../../src/core/clock.ts";
import { openBatchUdpSocket } from "../../../src/media/rtp/batch-udp-socket.ts";
import { eventually } from "../eventually.ts";
import { sendThreadOfThisThread } from "./rtp-send-thread.ts";

const HOST = "127.0.79.1";
const PORT = 24_130;
const now = () => systemClock.monotonic();
const sendThread = sendThreadOfThisThread();
const near = openBatchUdpSocket(HOST, PORT, sendThread);
const far = openBatchUdpSocket(HOST, PORT + 2);
if (!near || !far) throw new Error("this is for Linux with glibc");
const heard: string[] = [];
for (let n = 0; n < 10; n++) near.send(Buffer.from(`${n}`), HOST, PORT + 2, now() + n);
await eventually(() => {
  far.poll(now(), (datagram) => void heard.push(Buffer.from(datagram).toString()));
  return heard.length === 10;
}, "all have come");
const policyOf = (task: string) => {
  const stat = readFileSync(`${task}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[38]);
};
const policies = readdirSync("/proc/self/task").map((thread) => {
  const task = `/proc/self/task/${thread}`;
  const isOurs = readFileSync(`${task}/comm`, "utf8") === "rtp-send\n";
  return { isOurs, policy: policyOf(task) };
});
const of = (ours: boolean) => [
  ...new Set(policies.filter(({ isOurs }) => isOurs === ours).map(({ policy }) => policy)),
];
console.log(JSON.stringify({ heard: heard.join(""), sendThread: of(true), others: of(false) }));
process.exit(0);
