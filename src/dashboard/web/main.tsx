/**
 * Starts the app: theme, session (requested while the code still loads), language, then the first
 * render. A 401 on a page inside the shell means that the session ended.
 */
import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  useQuery,
} from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiProblem } from "./api/problem.ts";
import { homeQuery, sessionQuery } from "./api/queries.ts";
import { type Catalogue, loadCatalogue } from "./i18n/catalogue.ts";
import { browserLanguage, isLanguage, type Language } from "./i18n/language.ts";
import { LanguageProvider } from "./i18n/text.tsx";
import { meta as homeMeta } from "./pages/home/page.meta.ts";
import { createAppRouter } from "./router.tsx";
import { applyTheme } from "./theme/theme.ts";
import { ToastProvider } from "./ui/toast.tsx";

const RETRIES_MAX = 2;

applyTheme();

/** Only for pages inside the shell: public pages handle a 401 themselves. */
function onError(error: unknown): void {
  const inside = router.state.matches.some(({ routeId }) => routeId === "/inside");
  if (inside && error instanceof ApiProblem && error.code === "unauthorized")
    void queries
      .invalidateQueries({ queryKey: sessionQuery.queryKey })
      .then(() => router.invalidate());
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    mutations: { networkMode: "always" },
    queries: {
      staleTime: 5_000,
      // The server may run on this machine, so the browser's offline state is irrelevant.
      networkMode: "always",
      retry: (failures, error) =>
        failures < RETRIES_MAX && !(error instanceof ApiProblem && error.status < 500),
    },
  },
});
const router = createAppRouter(queries);

/** Loads fonts before the first render, so that the text does not shift later. */
const fontsOf = (language: Language): Promise<unknown> =>
  document.fonts.load("1em Inter", language === "ru" ? "aėя" : "aė").catch(() => null);

/** Whether early.ts requested the home page's data, so that the first render can show it. */
const isHomeAsked = () =>
  [...(window.earlyAnswers?.keys() ?? [])].some((url) => url.endsWith(homeMeta.firstData));

/** Provides the reader's language and the time zone of the session's company. */
function Words(props: {
  initial: { language: Language; catalogue: Catalogue };
  children: ReactNode;
}) {
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  return <LanguageProvider {...props} timeZone={data?.session?.tenant?.time_zone} />;
}

async function start(element: HTMLElement): Promise<void> {
  const fonts = fontsOf(browserLanguage());
  const known = await queries.ensureQueryData(sessionQuery).catch(() => null);
  const requested = known?.session?.user.locale;
  const language = isLanguage(requested) ? requested : browserLanguage();
  const [catalogue] = await Promise.all([
    loadCatalogue(language),
    language === browserLanguage() ? fonts : fontsOf(language),
    // Load the page too, so that the first render is not an empty frame.
    router.load(),
    isHomeAsked() && queries.prefetchQuery(homeQuery),
  ]);
  window.earlyAnswers?.clear();
  document.documentElement.lang = language;
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Words initial={{ language, catalogue }}>
          <ToastProvider>
            <RouterProvider router={router} />
          </ToastProvider>
        </Words>
      </QueryClientProvider>
    </StrictMode>,
  );
}

const element = document.getElementById("app");
if (element) void start(element);
