/** The prose of the OpenAPI document. */
export const INTRODUCTION = `REST API for AI voice agents. A tenant (company) creates agents and connects its own phone numbers; Linevoice answers and places calls.

**Authentication.** Every request except \`GET /ping\` needs an API key, as \`Authorization: Bearer lv_live_…\` or \`X-LV-Api-Key: lv_live_…\`. A key belongs to one tenant. Records of other tenants return 404. A key can be limited to scopes (\`read\`, \`calls\`, \`manage\`), an expiry and source addresses. Each operation names its scope; without it the response is 403 \`insufficient_scope\`. An expired key, or one from another address, gets 401 like an unknown key.

**Responses.** Successes contain \`"ok": true\`. Errors are \`{"ok": false, "error", "message", "field", "request_id"}\`. Times are ISO 8601 in UTC with offset. Money is in EUR. Unset values are \`null\`.

**Requests.** An unknown body field or query parameter is rejected with \`unknown_field\`. A response-only field such as \`created_at\` is ignored if you send it back with its stored value, and rejected with another value.

**Concurrent changes.** Records that can be changed have an \`ETag\`. Send it as \`If-Match\` with a PATCH or DELETE: if the record has changed since, the response is 409 \`conflict\` with the field \`if_match\`. The response to a PATCH contains the new \`ETag\`. Other methods of an existing path get 405 and \`Allow\`.

**Rate limits and retries.** Each key may send 120 requests per minute. Above that, the response is 429 with \`Retry-After\`: wait, then retry with exponential backoff. Retry only 429 and 5xx.`;

export const TAGS: readonly (readonly [string, string])[] = [
  ["Service", "Availability and version of the service."],
  ["Tenant", "The company account."],
  ["Agents", "AI voice assistants: prompt, voice, language."],
  ["Knowledge files", "Texts that agents use for their answers."],
  ["Tools", "HTTP endpoints that an agent may call during a call."],
  ["Phone numbers", "The tenant's phone numbers and the agents that answer them."],
  ["Calls", "Place, follow, transfer and end calls; read transcripts, recordings and costs."],
  ["Rehearsals", "Test an agent with simulated calls: scenarios, suites and runs."],
  ["Schedules", "Calls planned for a later time."],
  ["Reports", "Analytics and usage."],
  ["Billing", "Plans, wallet and payments."],
  ["API keys", "Secrets that authenticate requests. Each is shown once."],
  ["Webhooks", "Signed events to the tenant's HTTPS endpoints."],
];

/** Messages of the examples; real responses are more specific. */
export const EXPLANATIONS: Readonly<Record<string, string>> = {
  invalid_json: "The body must be a JSON object.",
  unknown_field: "There is no field `colour` here.",
  unauthorized:
    "Send a valid API key as `Authorization: Bearer lv_live_…` or `X-LV-Api-Key: lv_live_…`.",
  forbidden: "Your role does not allow this.",
  insufficient_scope: "This API key lacks the scope `manage`; it has: read.",
  insufficient_balance:
    "Plan minutes or the free minutes of trials are used up, and the wallet cannot pay.",
  plan_limit_reached: "A limit of the plan is reached.",
  destination_not_allowed: "The tenant's dialling rules forbid this number.",
  not_found: "Record not found.",
  method_not_allowed:
    "This path does not support that method. See `Allow` for the supported methods.",
  conflict: "The current state of the record does not allow this.",
  payload_too_large: "The request body is larger than 2097152 bytes.",
  rate_limited: "More than 120 requests in a minute with this key. Wait 60 seconds.",
  engine: "Something failed on our side. Try again.",
  unavailable: "The appliance is shutting down, or its storage is out of reach.",
};
