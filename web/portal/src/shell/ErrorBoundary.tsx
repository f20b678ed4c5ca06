// Contains a rendering error within one page.

import { Component, type ReactNode } from 'react';

import { Notice } from '../design/Notice';

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
          <strong>This page has a fault</strong>
          <p>It could not be shown: {this.state.error.message}</p>
          <div className="row">
            <button type="button" className="button" onClick={() => window.location.reload()}>
              Load it again
            </button>
            <a className="button" href="/">
              Go to the start
            </a>
          </div>
        </Notice>
      </div>
    );
  }
}
