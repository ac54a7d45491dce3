/** `[server] metrics_listen`: GET /metrics for Prometheus on a separate address, without an API key. */
import type { Log } from "../../core/log.ts";
import type { Metrics } from "./metrics.ts";

export interface MetricsListener {
  /** The bound address; null: the address was in use, and the appliance runs without metrics. */
  readonly address: { readonly host: string; readonly port: number } | null;
  /** A problem that the operator should fix; null: none. */
  warning(): string | null;
  stop(): Promise<void>;
}

/** Never throws: calls are answered even if the port is in use. */
export function startMetricsListener(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: Metrics,
  log: Log,
): MetricsListener {
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      development: false,
      // Outside development, Bun shares a port with another process unless this is false.
      reusePort: false,
      async fetch(request) {
        const { pathname } = new URL(request.url);
        if (pathname !== "/metrics") return new Response("See /metrics.\n", { status: 404 });
        if (request.method !== "GET" && request.method !== "HEAD")
          return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
        return new Response(await metrics.text(), {
          headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
        });
      },
    });
    return {
      address: { host, port: server.port ?? port },
      warning: () => null,
      stop: () => server.stop(true),
    };
  } catch {
    const warning = `Metrics cannot listen on ${host}:${port}: the address is in use. Set [server] metrics_listen to another address, or to "" to switch metrics off.`;
    log.warn("metrics.not_listening", { host, port });
    return { address: null, warning: () => warning, stop: async () => {} };
  }
}
