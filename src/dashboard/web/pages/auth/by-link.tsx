/** A one-time sign-in link that the appliance printed (demo, setup): signs in at once. */
import { useEffect, useRef, useState } from "react";
import { answer, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { AuthFrame, useEnter } from "./auth-frame.tsx";
import { BadLink, useLinkToken } from "./link-state.tsx";
import { SecondStep } from "./second-step.tsx";

export function ByLink({ requested }: { requested: unknown }) {
  const { t } = useText();
  const token = useLinkToken("link");
  const enter = useEnter();
  const [state, setState] = useState<"entering" | "bad" | "totp">("entering");
  const begun = useRef(false);

  useEffect(() => {
    // The link works once: a second effect run must not use it again.
    if (begun.current) return;
    begun.current = true;
    answer(own.POST("/sign-in/link", { body: { token } }))
      .then(({ next }) => (next === "totp" ? setState("totp") : enter(requested)))
      .catch(() => setState("bad"));
  }, [token, enter, requested]);

  if (state === "totp") return <SecondStep onDone={() => enter(requested)} />;
  if (state === "bad") return <BadLink body={t("auth.link_bad_body")} />;
  return (
    <AuthFrame title={t("auth.entering")}>
      <Skeleton lines={3} />
    </AuthFrame>
  );
}
