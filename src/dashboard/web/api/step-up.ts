/**
 * What wants a recent sign-in is answered 403 with the field `sign_in`. Then the person is asked, in place,
 * to prove who they are, and the same request is sent once more: no form loses what was typed.
 */
import type { Middleware } from "openapi-fetch";

/** Resolves true when the person has proved it. */
type Ask = () => Promise<boolean>;
let ask: Ask = async () => false;

/** The dialogue that asks; there is one, in the shell. */
export function askWith(given: Ask): void {
  ask = given;
}

export const askNow = (): Promise<boolean> => ask();

const sent = new Map<string, Request>();

async function wantsSignIn(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const answer = (await response
    .clone()
    .json()
    .catch(() => null)) as { field?: unknown } | null;
  return answer?.field === "sign_in";
}

export const stepUp: Middleware = {
  onRequest({ request, id }) {
    sent.set(id, request.clone());
    return undefined;
  },
  async onResponse({ response, id }) {
    const again = sent.get(id);
    sent.delete(id);
    if (!again || !(await wantsSignIn(response)) || !(await ask())) return undefined;
    return await fetch(again);
  },
  onError({ id }) {
    sent.delete(id);
  },
};
