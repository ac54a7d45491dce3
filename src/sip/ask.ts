/** A request of ours outside every dialog (REGISTER), sent once and answered once. */
import type { SipRequest, SipResponse } from "./message/index.ts";
import type { TransactionLayer } from "./transaction/layer.ts";
import { type Flow, isStream } from "./transport/flow.ts";

/**
 * The final response; null when none comes in 64·T1, or the connection goes before it. `onSilence`
 * runs in the first case only.
 */
export function ask(
  transactions: TransactionLayer,
  request: SipRequest,
  text: string,
  flow: Flow,
  onSilence: () => void,
): Promise<SipResponse | null> {
  return new Promise((resolve) => {
    const forget = isStream(flow) ? flow.onClosed(() => resolve(null)) : null;
    transactions.sendRequest(request, text, flow, {
      onResponse: (response) => {
        if (response.statusCode < 200) return;
        forget?.();
        resolve(response);
      },
      onTimeout: () => {
        forget?.();
        resolve(null);
        onSilence();
      },
    });
  });
}
