/**
 * The receiving side, in a process of its own: one HTTPS server that answers by path. `/healthy` at once,
 * `/slow` after three seconds, `/dead` never. The runtime's own server, because it takes the least of the
 * cores that the measured process needs. Prints its port; at the end of its standard input prints when each
 * healthy delivery arrived, by call id, and ends. Arguments: the certificate as JSON, the host.
 */

const SLOW_MS = 3000;
const arrivals: Record<string, number> = {};

const receiver = Bun.serve({
  hostname: process.argv[3] ?? "127.0.0.1",
  port: 0,
  tls: JSON.parse(process.argv[2] ?? "{}"),
  idleTimeout: 0,
  async fetch(request) {
    const sent = await request.json();
    if (request.url.endsWith("/dead")) return new Promise(() => {});
    if (request.url.endsWith("/slow")) await Bun.sleep(SLOW_MS);
    else arrivals[sent.data.call_id] ??= Date.now();
    return new Response();
  },
});
console.log(receiver.port);
await new Response(Bun.stdin.stream()).text();
await Bun.write(Bun.stdout, JSON.stringify(arrivals));
process.exit(0);
