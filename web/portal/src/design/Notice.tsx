// What a page shows instead of data: errors, warnings, empty results, placeholders while it loads.

import { type ReactNode, useEffect, useState } from 'react';

import { ApiError, messageOf } from '../api/client';
import { useSignIn } from '../shell/signIn';
import { texts } from '../texts';
import { Icon, type IconName } from './Icon';

export function Notice({ kind, children }: { kind: 'error' | 'warning' | 'good' | 'plain'; children: ReactNode }) {
  const icon: IconName = kind === 'good' ? 'check' : kind === 'plain' ? 'info' : 'alert';
  return (
    <div className={`notice ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={icon} size={18} />
      <div className="grow stack tight">{children}</div>
    </div>
  );
}

interface ErrorNoticeProps {
  error: unknown;
  retry?: () => unknown;
  title?: string | undefined;
}

/** An error with what can be done about it. */
export function ErrorNotice({ error, retry, title = texts.design.failed }: ErrorNoticeProps) {
  const openSignIn = useSignIn();
  const wantsCredential = error instanceof ApiError && error.wantsCredential;
  const details = error instanceof ApiError ? error.body?.details : undefined;
  return (
    <Notice kind="error">
      <strong>{title}</strong>
      {messageOf(error)
        .split('\n')
        .map((line) => (
          <p key={line}>{line}</p>
        ))}
      {typeof details === 'string' && (
        <details>
          <summary>{texts.design.forManagers}</summary>
          <p>{details}</p>
        </details>
      )}
      <div className="row wrap">
        {retry && (
          <button type="button" className="button" onClick={retry}>
            {texts.design.tryAgain}
          </button>
        )}
        {wantsCredential && (
          <button type="button" className="button" onClick={openSignIn}>
            {texts.design.enterKey}
          </button>
        )}
      </div>
    </Notice>
  );
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Placeholder lines. */
export function Skeleton({ lines = 3, height = 14 }: { lines?: number; height?: number }) {
  return (
    <div className="stack" aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="skeleton" style={{ height, width: `${92 - ((line * 23) % 40)}%` }} />
      ))}
    </div>
  );
}

/** Becomes true when waiting takes unusually long. */
export function useSlow(waiting: boolean, afterMs = 4000): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setSlow(true), afterMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [waiting, afterMs]);
  return waiting && slow;
}

/** A page that is being loaded. */
export function Loading({ what }: { what: string }) {
  const slow = useSlow(true);
  return (
    <div className="page stack loose" aria-busy="true">
      <span className="visually-hidden" role="status">
        {texts.design.loading(what)}
      </span>
      <Skeleton lines={1} height={30} />
      <Skeleton lines={6} />
      {slow && <p className="soft">{texts.design.stillLoading(what)}</p>}
    </div>
  );
}
