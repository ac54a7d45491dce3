/**
 * Small script that loads before the app's code. Meanwhile it requests what the first page needs:
 * the session, the texts in the reader's language, the page's code and its data. The app uses these
 * responses (api/client.ts), so a slow connection costs one round trip.
 */
import { browserLanguage, isLanguage } from "./i18n/language.ts";

const SESSION = "/api/dashboard/session";

const answers = new Map<string, Promise<Response>>();
window.earlyAnswers = answers;

function ask(path: string): Promise<Response> {
  const url = new URL(path, location.origin).href;
  // Read the body immediately: an unread response would keep its connection.
  const answer = fetch(url).then(async (response) => new Response(await response.text(), response));
  answers.set(url, answer);
  // The consumer handles a failure. This avoids an unhandled rejection.
  answer.catch(() => undefined);
  return answer;
}

function preload(addresses: readonly string[]): void {
  for (const href of addresses) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = href;
    document.head.append(link);
  }
}

const page = FIRST_LOAD.pages.find(({ pattern }) => new RegExp(pattern).test(location.pathname));

async function askAll(): Promise<void> {
  const asked = ask(SESSION);
  preload(page?.code ?? []);
  const { session } = await (await asked).clone().json();
  const requested: unknown = session?.user.locale;
  preload(FIRST_LOAD.texts[isLanguage(requested) ? requested : browserLanguage()]);
  if (session?.tenant && page?.data) ask(page.data);
}

askAll().catch(() => undefined);
