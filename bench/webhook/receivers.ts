/**
 * The receiving side, in a process of its own: one HTTPS server that answers by path. `/healthy` at once,
 * `/slow` after three seconds, `/dead` never. Prints its port; at the end of its standard input prints when
 * each healthy delivery arrived, by call id, and ends. Argument: the certificate as JSON.
 */
import { answer, httpsReceiver, type Responder } from "../../test/support/https-receiver.ts";

const SLOW_MS = 3000;
const arrivals: Record<string, number> = {};
const ok = answer(200);

const respond: Responder = (request, response) => {
  if (request.path === "/dead") return;
  if (request.path === "/slow") {
    setTimeout(() => ok(request, response), SLOW_MS);
    return;
  }
  arrivals[JSON.parse(request.body).data.call_id] ??= Date.now();
  ok(request, response);
};

const receiver = await httpsReceiver(
  JSON.parse(process.argv[2] ?? "{}"),
  respond,
  process.argv[3] ?? "127.0.0.1",
);
console.log(receiver.port);
await new Response(Bun.stdin.stream()).text();
await Bun.write(Bun.stdout, JSON.stringify(arrivals));
process.exit(0);
