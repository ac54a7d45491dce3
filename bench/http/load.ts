/**
 * Load generator for machines without wrk: keep-alive connections over plain sockets, one pending
 * request on each. Prints requests per second and latency percentiles as one JSON line.
 */
import { connect } from "node:net";

const [url = "", key = "", connections = "32", seconds = "5", turning = "false"] =
  process.argv.slice(2);
const { hostname, port, pathname, search } = new URL(url);
let offset = 0;
/** If requested, every request asks for another page, as in pages.lua. */
function request(): string {
  offset = (offset + 1) % 500;
  const page = turning === "true" ? `&offset=${offset}` : "";
  return `GET ${pathname}${search}${page} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`;
}
const latencies: number[] = [];
let failures = 0;
const endAt = performance.now() + Number(seconds) * 1000;

function run(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let startedAt = 0;
    let buffered = "";
    const send = () => {
      startedAt = performance.now();
      socket.write(request());
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      buffered += chunk.toString("latin1");
      const head = buffered.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(buffered.slice(0, head))?.[1] ?? 0);
      if (buffered.length < head + 4 + length) return;
      if (!buffered.startsWith("HTTP/1.1 200")) failures++;
      buffered = "";
      latencies.push(performance.now() - startedAt);
      if (performance.now() < endAt) return send();
      socket.end();
      resolve();
    });
  });
}

await Promise.all(Array.from({ length: Number(connections) }, run));
latencies.sort((left, right) => left - right);
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
console.log(
  JSON.stringify({
    requestsPerSecond: Math.round(latencies.length / Number(seconds)),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failures,
  }),
);
