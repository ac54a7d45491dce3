/** Entry of the thread for the operator's voices. A speech worker starts it if there are any. */

import { VoiceHost } from "../engine/embedded/own-voices/host.ts";
import type { ToVoices } from "../engine/embedded/own-voices/messages.ts";
import { lowerThreadPriority } from "../platform/threads/priority.ts";

declare const self: Worker;

// eSpeak NG speaks late sentences; late audio is audible.
lowerThreadPriority();

const host = new VoiceHost((message) => self.postMessage(message));
self.onmessage = (event: MessageEvent<ToVoices>) => host.receive(event.data);
