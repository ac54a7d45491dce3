/**
 * `[server] metrics_listen`: GET /metrics for Prometheus, on an address of its own, so that figures
 * need no key and are not where the API is.
 */
import type { Log } from "../../../core/log.ts";
import type { Metrics } from "./metrics.ts";

export interface MetricsListener {
  /** As bound; null: the address was taken, and the appliance runs without. */
  readonly address: { readonly host: string; readonly port: number } | null;
  /** What the operator should mend; null: nothing. */
  warning(): string | null;
  stop(): Promise<void>;
}

/** Never throws: a taken port is no reason not to answer calls. */
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
      // Outside development Bun shares a taken port with its owner unless told not to.
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
    const warning = `Metrics cannot listen on ${host}:${port}: the address is taken. Give [server] metrics_listen another one, or "" for none.`;
    log.warn("metrics.not_listening", { host, port });
    return { address: null, warning: () => warning, stop: async () => {} };
  }
}
