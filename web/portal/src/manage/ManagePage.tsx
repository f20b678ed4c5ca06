// The pages for submitters and data managers.

import { lazy, Suspense } from 'react';

import { Loading } from '../design/Notice';
import { NotFound } from '../shell/App';
import { useTitle } from '../shell/branding';
import { Link } from '../shell/router';
import { texts } from '../texts';
import './manage.css';

const StudiesPage = lazy(() => import('./StudiesPage'));
const StudyPage = lazy(() => import('./StudyPage'));
const AnalysisPage = lazy(() => import('./AnalysisPage'));
const TypesPage = lazy(() => import('./TypesPage'));
const TypePage = lazy(() => import('./TypePage'));
const TypeEditor = lazy(() => import('./TypeEditor'));
const TypeDictionaryPage = lazy(() => import('./TypeDictionaryPage'));
const SubmitPage = lazy(() => import('./SubmitPage'));
const IndexingPage = lazy(() => import('./IndexingPage'));
const KeysPage = lazy(() => import('./KeysPage'));

const AREAS = ['studies', 'types', 'submit', 'indexing', 'keys'] as const;

export default function ManagePage({ rest }: { rest: string[] }) {
  const [area = 'studies'] = rest;
  const known = AREAS.find((name) => name === area);
  useTitle(known ? texts.manage.areas[known] : texts.manage.manage);
  return (
    <div className="page stack loose">
      <nav className="segments manage-areas" aria-label={texts.manage.manage}>
        {AREAS.map((name) => (
          <Link key={name} to={`/manage/${name}`} aria-current={name === area ? 'page' : undefined}>
            {texts.manage.areas[name]}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<Loading what={texts.manage.thePage} />}>{pageOf(rest)}</Suspense>
    </div>
  );
}

function pageOf([area = 'studies', first, second, ...others]: string[]) {
  if (others.length) return <NotFound />;
  switch (area) {
    case 'studies':
      if (first && second) return <AnalysisPage key={second} studyId={first} analysisId={second} />;
      return first ? <StudyPage key={first} studyId={first} /> : <StudiesPage />;
    case 'types':
      if (first === 'new' && !second) return <TypeEditor name={null} />;
      if (first && second === 'edit') return <TypeEditor key={first} name={first} />;
      if (first && second === 'dictionary') return <TypeDictionaryPage key={first} name={first} />;
      if (second) return <NotFound />;
      return first ? <TypePage key={first} name={first} /> : <TypesPage />;
    case 'submit':
      return <SubmitPage />;
    case 'indexing':
      return <IndexingPage />;
    case 'keys':
      return <KeysPage />;
    default:
      return <NotFound />;
  }
}
