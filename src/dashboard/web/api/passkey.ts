/** Asks the browser for a passkey of this appliance. */
import { browserSupportsWebAuthn, startAuthentication } from "@simplewebauthn/browser";
import { answer, type Own, own } from "./client.ts";

type Options = Parameters<typeof startAuthentication>[0]["optionsJSON"];

type PasskeyAnswer = NonNullable<Own["ConfirmSessionRequest"]["response"]>;

export { browserSupportsWebAuthn };

/** Returns the passkey's reply for the API; null if the person or the browser declined. */
export async function askForPasskey(): Promise<PasskeyAnswer | null> {
  const { options } = await answer(own.POST("/sign-in/passkey/options"));
  const response = await startAuthentication({ optionsJSON: options as unknown as Options }).catch(
    () => null,
  );
  return response && JSON.parse(JSON.stringify(response));
}
