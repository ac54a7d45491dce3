/** Audio quality of the call, and its SIP messages. */
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Bars } from "../../ui/bars.tsx";
import { Card, Figures, StatusIndicator } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import type { Call, Details } from "./call-details.ts";

/** CSeq of the transaction, which the arrow omits. */
const CSEQ = / \(\d+ [A-Z]+\)$/;

export function LineQuality({ call, details }: { call: Call; details: Details }) {
  const { t, number, ms } = useText();
  const { sip } = call;
  return (
    <div className="stack">
      <Figures
        figures={[
          {
            label: t("call.mos"),
            value: sip.mos === null ? "–" : number(sip.mos),
            note: sip.mos === null ? undefined : t("call.mos_note"),
          },
          { label: t("call.jitter"), value: ms(sip.jitter_ms) },
          {
            label: t("call.lost"),
            value: sip.packets_lost === null ? "–" : number(sip.packets_lost),
          },
          { label: t("call.jitter_sent"), value: ms(sip.sent_jitter_ms) },
          {
            label: t("call.lost_sent"),
            value: sip.sent_packets_lost === null ? "–" : number(sip.sent_packets_lost),
          },
          { label: t("call.round_trip"), value: ms(sip.round_trip_ms) },
          { label: t("call.encryption"), value: encryption(sip.srtp, t("call.encryption_none")) },
          { label: t("call.codec"), value: sip.codec ?? "–" },
          { label: t("call.final_code"), value: sip.final_code ?? "–" },
        ]}
      />
      {sip.line_problems.length > 0 && <LineProblems problems={sip.line_problems} />}
      <div className="columns wide">
        <JitterCard rtp={details.rtp} />
        <MessageTrace uuid={details.call_uuid} steps={details.sip} />
      </div>
    </div>
  );
}

const encryption = (srtp: string | null, none: string): string => {
  if (srtp === null) return "–";
  return srtp === "none" ? none : srtp;
};

function LineProblems({ problems }: { problems: Call["sip"]["line_problems"] }) {
  const { t, clock, ms } = useText();
  return (
    <Card title={t("call.line_problems")} flush>
      <ul className="list">
        {problems.map(({ at_ms, side, loss_percent, delay_ms }) => (
          <li key={`${at_ms} ${side}`}>
            <StatusIndicator tone="warn" />
            <div className="grow">
              <p className="strong">{t(`call.line_${side}`)}</p>
              <p className="soft">
                <span className="nums">{clock(at_ms / 1000)}</span> ·{" "}
                {loss_percent > 0
                  ? t("call.line_loss", { percent: loss_percent })
                  : t("call.line_delay", { delay: ms(delay_ms) })}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function JitterCard({ rtp }: { rtp: Details["rtp"] }) {
  const { t, clock, ms } = useText();
  return (
    <Card title={t("call.quality_over_time")}>
      {rtp.length === 0 ? (
        <p className="soft">{t("call.quality_empty")}</p>
      ) : (
        <Bars
          label={t("call.quality_over_time")}
          names={rtp.map(({ at_ms }) => clock(at_ms / 1000))}
          values={rtp.map(({ jitter_ms }) => jitter_ms)}
          format={ms}
        />
      )}
    </Card>
  );
}

/**
 * Ladder diagram: both sides as lines, each message as an arrow. A click shows the stored text of a
 * message.
 */
function MessageTrace({ uuid, steps }: { uuid: string; steps: Details["sip"] }) {
  const { t, clock } = useText();
  const { operator } = useSession();
  return (
    <Card
      title={t("call.ladder")}
      actions={
        operator &&
        steps.length > 0 && (
          <a
            className="button small"
            href={`/api/dashboard/calls/${uuid}/signalling.pcap`}
            download
          >
            {t("call.pcap")}
          </a>
        )
      }
    >
      {steps.length === 0 ? (
        <EmptyState icon="trunk" title={t("call.ladder")}>
          {t("call.ladder_empty")}
        </EmptyState>
      ) : (
        <div className="ladder">
          <p className="ladder-heads small strong" aria-hidden="true">
            <span>{t("call.ladder_provider")}</span>
            <span>Linevoice</span>
          </p>
          <ol>
            {steps.map((step, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same message may pass twice
              <li key={at}>
                <details>
                  <summary>
                    <span className="muted nums">{clock(step.at_ms / 1000)}</span>
                    <span className={`ladder-arrow ${step.direction}`}>
                      <span className="mono">{step.line.replace(CSEQ, "")}</span>
                      <span className="visually-hidden">
                        {t(step.direction === "in" ? "call.sip_in" : "call.sip_out")}
                      </span>
                    </span>
                  </summary>
                  <p className="small">
                    {t(step.direction === "in" ? "call.sip_in" : "call.sip_out")}:{" "}
                    <span className="mono">{step.line}</span>
                    {step.detail && ` · ${step.detail}`}
                  </p>
                </details>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Card>
  );
}
