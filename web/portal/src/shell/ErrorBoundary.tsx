// Contains a rendering error within one page.

import { Component, type ReactNode } from 'react';

import { serverPath } from '../api/base';
import { Notice } from '../design/Notice';
import { texts } from '../texts';

interface Props {
  /** The error is reset when this changes. */
  place: string;
  children: ReactNode;
}

interface State {
  error: Error | null;
  place: string;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, place: this.props.place };

  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { place, error: null };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div className="page">
        <Notice kind="error">
          <strong>{texts.shell.fault}</strong>
          <p>{texts.shell.faultWhy(this.state.error.message)}</p>
          <div className="row">
            <button type="button" className="button" onClick={() => window.location.reload()}>
              {texts.shell.loadAgain}
            </button>
            <a className="button" href={serverPath('/')}>
              {texts.shell.toStart}
            </a>
          </div>
        </Notice>
      </div>
    );
  }
}
