/**
 * The providers of the benchmark in a separate process, with fixed delays that can be subtracted.
 */
import { openAiServer } from "../../test/support/engine/openai-server.ts";
import { realtimeServer } from "../../test/support/engine/realtime-server.ts";
import { ANSWER, DELAYS, QUESTION, type Servers } from "./target.ts";

const http = openAiServer("127.0.0.1");
http.script.delayMs = { stt: DELAYS.stt, llm: DELAYS.llm, tts: DELAYS.tts };
http.script.answer = () => ({ text: ANSWER });
http.script.recognises = Array.from({ length: 10_000 }, () => QUESTION);

const realtime = realtimeServer("127.0.0.1");
realtime.script.responseDelayMs = DELAYS.realtime;
realtime.script.transcriptionDelayMs = DELAYS.realtime;
realtime.script.answer = () => ({ text: ANSWER });
realtime.script.recognises = Array.from({ length: 10_000 }, () => QUESTION);

const servers: Servers = { openai: http.url, realtime: realtime.url };
console.log(JSON.stringify(servers));
for await (const _ of Bun.stdin.stream());
process.exit(0);
