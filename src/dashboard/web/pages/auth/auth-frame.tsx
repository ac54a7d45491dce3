/** The frame of the pages in front: brand, card, language. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { own } from "../../api/client.ts";
import { sessionQuery } from "../../api/queries.ts";
import { isLanguage, LANGUAGE_NAMES, LANGUAGES } from "../../i18n/language.ts";
import { useChooseLanguage, useText } from "../../i18n/text.tsx";
import { Mark } from "../../ui/icon.tsx";

export function AuthFrame(props: { title: string; lead?: ReactNode; children: ReactNode }) {
  const { t, language } = useText();
  const choose = useChooseLanguage();
  useEffect(() => {
    document.title = `${props.title} · Linevoice`;
  }, [props.title]);
  return (
    <main className="auth">
      <div className="auth-card">
        <p className="brand">
          <Mark />
          Linevoice
        </p>
        <div>
          <h1>{props.title}</h1>
          {props.lead && <p className="soft">{props.lead}</p>}
        </div>
        {props.children}
        <div className="auth-foot">
          <select
            className="input bar"
            aria-label={t("language.label")}
            value={language}
            onChange={(event) => {
              const requested = event.target.value;
              if (isLanguage(requested)) void choose(requested);
            }}
          >
            {LANGUAGES.map((name) => (
              <option key={name} value={name}>
                {LANGUAGE_NAMES[name]}
              </option>
            ))}
          </select>
        </div>
      </div>
    </main>
  );
}

/** Signed in: go where one wanted to, in the app only. */
export function useEnter(): (next?: unknown) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const choose = useChooseLanguage();
  return async (next) => {
    const { session } = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    if (isLanguage(session?.user.locale)) await choose(session.user.locale);
    const path = typeof next === "string" && /^\/(?!\/)/.test(next) ? next : "/";
    await navigate({ href: path.replace(/^\/app(?=\/|$)/, "") || "/", replace: true });
  };
}

/** As `useEnter`, with an account just made: it keeps the language in which it was made. */
export function useEnterAsNew(): () => Promise<void> {
  const { language } = useText();
  const enter = useEnter();
  return async () => {
    // Without it the account is an English one: no reason to keep its owner out.
    await own.POST("/profile", { body: { locale: language } });
    await enter();
  };
}
