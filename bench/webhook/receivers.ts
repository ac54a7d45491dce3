/**
 * The receiving side in a separate process: one HTTPS server that answers by path. `/healthy`
 * immediately, `/slow` after three seconds, `/dead` never. It uses a plain socket and reads only
 * the needed part of a request, because the runtime's HTTP server would need twice the CPU time.
 * Prints its port. When its standard input ends, it prints the arrival time of each healthy
 * delivery by call id, and exits. Arguments: the certificate as JSON, the host.
 */

const SLOW_MS = 3000;
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const LENGTH = /content-length: (\d+)/i;
const CALL = /"call_id":"([^"]+)"/;
const arrivals: Record<string, number> = {};

/** State of an incomplete request. */
interface Connection {
  text: string;
}

/**
 * Whether the request is complete. The sender awaits each response, so no second request follows.
 */
function whole(text: string): boolean {
  const bodyAt = text.indexOf("\r\n\r\n") + 4;
  return bodyAt > 3 && text.length - bodyAt >= Number(LENGTH.exec(text)?.[1]);
}

const receiver = Bun.listen<Connection>({
  hostname: process.argv[3] ?? "127.0.0.1",
  port: 0,
  tls: JSON.parse(process.argv[2] ?? "{}"),
  socket: {
    open(socket) {
      socket.data = { text: "" };
    },
    data(socket, piece) {
      const text = socket.data.text + piece.toString("latin1");
      socket.data.text = whole(text) ? "" : text;
      if (socket.data.text !== "" || text.startsWith("POST /dead")) return;
      if (text.startsWith("POST /slow"))
        return void setTimeout(() => socket.write(ANSWER), SLOW_MS);
      const call = CALL.exec(text)?.[1];
      if (call) arrivals[call] ??= Date.now();
      socket.write(ANSWER);
    },
  },
});
console.log(receiver.port);
await new Response(Bun.stdin.stream()).text();
await Bun.write(Bun.stdout, JSON.stringify(arrivals));
process.exit(0);
