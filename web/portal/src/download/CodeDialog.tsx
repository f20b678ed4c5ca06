// Shows the query behind the page, to be used elsewhere.

import { useId, useState } from 'react';

import { BASE_PATH, serverPath } from '../api/base';
import { CopyButton } from '../design/CopyButton';
import { Dialog } from '../design/Dialog';
import { Tabs } from '../design/Tabs';
import { useExplore } from '../explore/context';
import { sortOf } from '../explore/viewQuery';
import { useCredential } from '../shell/signIn';
import type { ShownColumn } from '../table/columns';
import { texts } from '../texts';
import { snippets } from './snippets';

export default function CodeDialog({ columns, onClose }: { columns: ShownColumn[]; onClose: () => void }) {
  const { catalogue, state, view } = useExplore();
  const [name, setName] = useState('Python');
  const hasKey = useCredential() !== '';
  const id = useId();
  const fields = columns.map(({ field }) => field);
  const all = snippets({
    catalogue,
    filter: state.filter,
    sort: sortOf(state, catalogue),
    fields,
    origin: window.location.origin + BASE_PATH,
    total: view.answer?.total ?? 0,
    hasKey,
  });
  const shown = all.find((snippet) => snippet.name === name) ?? all[0];
  if (!shown) return null;
  return (
    <Dialog
      title={texts.download.asCode}
      wide
      onClose={onClose}
      footer={
        <>
          <a className="button" href={serverPath(catalogue.graphqlPath)} target="_blank" rel="noreferrer">
            {texts.download.openGraphiql}
          </a>
          <CopyButton text={() => shown.code} className="button primary" />
        </>
      }
    >
      <div className="stack">
        <Tabs
          id={id}
          label={texts.download.language}
          tabs={all.map((snippet) => snippet.name)}
          chosen={shown.name}
          onChoose={setName}
        />
        <pre className="code-block" id={`${id}-panel`} role="tabpanel" aria-label={shown.name} tabIndex={0}>
          {shown.code}
        </pre>
      </div>
    </Dialog>
  );
}
