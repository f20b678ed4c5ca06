// The pages of the portal and the addresses they have. Each is fetched when it is first opened.

import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react';

import { Empty, Loading } from '../design/Notice';
import { Announcer } from './announce';
import { BrandingProvider, useBranding } from './branding';
import { DirectoryProvider } from './directory';
import { ErrorBoundary } from './ErrorBoundary';
import { Header } from './Header';
import { Link, RouterProvider, segments, useRouter } from './router';
import { SignInProvider } from './signIn';

type Page = ComponentType<{ rest: string[] }>;

const PAGES: Record<string, Page> = {
  '': lazy(() => import('../home/HomePage')),
  explore: lazy(() => import('../explore/ExplorePage')),
  record: lazy(() => import('../record/RecordPage')),
  sets: lazy(() => import('../sets/SetsPage')),
  manage: lazy(() => import('../manage/ManagePage')),
  learn: lazy(() => import('../learn/LearnPage')),
};

export function App() {
  return (
    <RouterProvider>
      <BrandingProvider>
        <DirectoryProvider>
          <SignInProvider>
            <Header />
            <Content />
            <Footer />
            <Announcer />
          </SignInProvider>
        </DirectoryProvider>
      </BrandingProvider>
    </RouterProvider>
  );
}

function Content() {
  const { path } = useRouter();
  const [area = '', ...rest] = segments(path);
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    // Whoever follows a link by keyboard or screen reader goes on in the new page.
    if (before.current !== path) main.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  const Page = PAGES[area];
  return (
    <main id="content" ref={main} tabIndex={-1}>
      <ErrorBoundary place={path}>
        <Suspense fallback={<Loading what="the page" />}>{Page ? <Page rest={rest} /> : <NotFound />}</Suspense>
      </ErrorBoundary>
    </main>
  );
}

export function NotFound() {
  return (
    <Empty icon="search" title="There is no such page">
      <p>The address may be mistyped, or the page has moved.</p>
      <Link to="/" className="button">
        Go to the start
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
