// The pages of the portal and the addresses they have. Each is fetched when it is first opened.

import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react';

import { queryClient } from '../api/queryClient';
import { Empty, Loading } from '../design/Notice';
import { texts } from '../texts';
import { Announcer } from './announce';
import { useBranding, useTitle } from './branding';
import { ErrorBoundary } from './ErrorBoundary';
import { Header } from './Header';
import { Link, RouterProvider, segments, useRouter } from './router';
import { SignInProvider } from './signIn';

type Page = ComponentType<{ rest: string[] }>;

const PAGES: Record<string, Page> = {
  '': lazy(() => import('../home/HomePage')),
  explore: lazy(() => import('../explore/ExplorePage')),
  record: lazy(() => import('../record/RecordPage')),
  dictionary: lazy(() => import('../dictionary/DictionaryPage')),
  compare: lazy(() => import('../compare/ComparePage')),
  sets: lazy(() => import('../sets/SetsPage')),
  manage: lazy(() => import('../manage/ManagePage')),
  learn: lazy(() => import('../learn/LearnPage')),
};

export function App() {
  return (
    <RouterProvider>
      <QueryClientProvider client={queryClient}>
        <SignInProvider>
          <Header />
          <Content />
          <Footer />
          <Announcer />
        </SignInProvider>
      </QueryClientProvider>
    </RouterProvider>
  );
}

function Content() {
  const { path } = useRouter();
  const [area = '', ...rest] = segments(path);
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    // After a link was followed by keyboard or screen reader, the focus is in the new page.
    if (before.current !== path) main.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  const Page = PAGES[area];
  return (
    <main id="content" ref={main} tabIndex={-1}>
      <ErrorBoundary place={path}>
        <Suspense fallback={<Loading what={texts.shell.thePage} />}>
          {Page ? <Page rest={rest} /> : <NotFound />}
        </Suspense>
      </ErrorBoundary>
    </main>
  );
}

export function NotFound() {
  useTitle('');
  return (
    <Empty icon="search" title={texts.shell.noPage}>
      <p>{texts.shell.noPageWhy}</p>
      <Link to="/" className="button">
        {texts.shell.toStart}
      </Link>
    </Empty>
  );
}

function Footer() {
  const { name, footer, links, version } = useBranding();
  return (
    <footer className="site-footer">
      <span>
        {footer || name}
        {version && ` ${version}`}
      </span>
      {links.map(({ label, url }) => (
        <a key={url} href={url}>
          {label}
        </a>
      ))}
    </footer>
  );
}
