/** Code examples that verify a signature, in four languages. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";

const LANGUAGES = [
  { value: "javascript", label: "JavaScript" },
  { value: "python", label: "Python" },
  { value: "php", label: "PHP" },
  { value: "curl", label: "curl" },
] as const;
type Language = (typeof LANGUAGES)[number]["value"];

export function Snippets() {
  const { t } = useText();
  const [lang, setLang] = useState<Language>("javascript");
  const snippet = useQuery({
    queryKey: ["snippet", lang],
    queryFn: () =>
      answer(rest.GET("/webhooks/snippet", { params: { query: { lang } }, parseAs: "text" })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Card
      title={t("webhooks.snippets")}
      note={t("webhooks.snippets_lead")}
      actions={
        <>
          <FilterSelect
            label={t("language.label")}
            value={lang}
            choices={LANGUAGES}
            onValue={setLang}
          />
          <CopyButton text={snippet.data ?? ""} />
        </>
      }
    >
      <Loaded query={snippet} lines={8}>
        {(text) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
          <pre className="code snippet" tabIndex={0}>
            {text}
          </pre>
        )}
      </Loaded>
    </Card>
  );
}
