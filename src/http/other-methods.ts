/** Handles methods without a route: OPTIONS lists the supported ones, others get 405 (RFC 9110 15.5.6). */
import type { Elysia } from "elysia";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/**
 * Each method gets a separate route. A route for all methods would come after `/webhooks/{id}`, which also
 * matches `/webhooks/snippet`. `answer` gets the value of the `Allow` header.
 */
export function refuseOtherMethods(
  app: Elysia,
  path: string,
  methods: readonly string[],
  answer: (request: Request, allow: string) => Promise<Response> | Response,
): void {
  const answered = new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods);
  const allow = [...answered, "OPTIONS"].sort().join(", ");
  const refuse = ({ request }: { request: Request }) => answer(request, allow);
  for (const method of METHODS.filter((name) => !answered.has(name)))
    app.route(method, path, refuse, { parse: "none" });
  app.all(path, refuse, { parse: "none" });
}
