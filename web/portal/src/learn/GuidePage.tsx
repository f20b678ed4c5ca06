// One document of the documentation.

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

import { ApiError, send } from '../api/client';
import { ErrorNotice, Loading } from '../design/Notice';
import { NotFound } from '../shell/App';
import { useTitle } from '../shell/branding';
import { Link } from '../shell/router';
import { texts } from '../texts';
import { DOCUMENTS, DocumentView } from './DocumentView';
import { parseMarkdown, plain } from './markdown';

/** `path` is that of the document, such as `guide/researcher`. */
export function GuidePage({ path }: { path: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['document', path],
    queryFn: async ({ signal }) => {
      const response = await send(`${DOCUMENTS}/${path.split('/').map(encodeURIComponent).join('/')}.md`, { signal });
      return parseMarkdown(await response.text());
    },
    staleTime: Infinity,
    retry: false,
  });
  const title = data?.find((block) => block.kind === 'heading');
  const name = title ? plain(title.children) : '';
  useTitle(name);
  const { hash } = window.location;
  useEffect(() => {
    // The browser looked for the place before the document was there.
    if (data && hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [data, hash]);
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={refetch} title={texts.learn.notShown} />
      </div>
    );
  if (!data) return <Loading what={texts.learn.theDocument} />;
  return (
    <div className="page stack">
      <nav aria-label={texts.learn.place} className="small">
        <Link to="/learn">{texts.learn.title}</Link> <span className="faint">/</span> {name}
      </nav>
      <article className="guide" lang="en">
        <DocumentView blocks={data} path={path} />
      </article>
    </div>
  );
}
