/**
 * Some requests need a recent sign-in; the API answers 403 with the field `sign_in`. A dialog then
 * asks the person to confirm who they are, and the request is sent again. Forms keep their values.
 */
import type { Middleware } from "openapi-fetch";

/** Resolves to true when the person has confirmed. */
type Ask = () => Promise<boolean>;
let ask: Ask = async () => false;

/** Sets the dialog that asks. Only the shell has one. */
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
