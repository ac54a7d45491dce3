/** Buying: only by an owner, and only if the operator has set how companies pay. */
import { useQuery } from "@tanstack/react-query";
import { applianceQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { BankAccountNote } from "../operator/bank-account-note.tsx";

export function useMayBuy(): boolean {
  const { data } = useQuery(applianceQuery);
  return useSession().isOwner && data?.payments_ready === true;
}

/** Explains why nothing can be bought. */
export function CannotBuy() {
  const { t } = useText();
  const { isOwner, operator } = useSession();
  const { data } = useQuery(applianceQuery);
  if (!isOwner) return <p className="note">{t("billing.owner_only")}</p>;
  if (data?.payments_ready !== false) return null;
  return operator ? <BankAccountNote /> : <p className="note">{t("billing.not_ready")}</p>;
}
