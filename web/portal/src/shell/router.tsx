// Routing: the address is the only state that outlives a page.

import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';

import { BASE_PATH, serverPath } from '../api/base';

export const ROOT = serverPath('/portal');

export interface Place {
  /** The path below the portal, `/` for its home. */
  path: string;
  search: string;
}

interface Router extends Place {
  navigate: (to: string, options?: { replace?: boolean }) => void;
}

const RouterContext = createContext<Router | null>(null);

function placeNow(): Place {
  const { pathname, search } = window.location;
  const path = pathname.slice((pathname.startsWith(ROOT) ? ROOT : BASE_PATH).length);
  return { path: path.replace(/\/$/, '') || '/', search };
}

/** Returns the address of a page of the portal. */
export function href(path: string): string {
  return path === '/' ? serverPath('/') : `${ROOT}${path}`;
}

export function RouterProvider({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const update = () => setPlace(placeNow());
    window.addEventListener('popstate', update);
    return () => window.removeEventListener('popstate', update);
  }, []);
  const router = useMemo<Router>(
    () => ({
      ...place,
      navigate: (to, { replace = false } = {}) => {
        const from = placeNow();
        window.history[replace ? 'replaceState' : 'pushState'](null, '', href(to));
        const next = placeNow();
        setPlace(next);
        // Another page begins at its top; another view of the same page stays where it is.
        if (from.path !== next.path) window.scrollTo(0, 0);
      },
    }),
    [place],
  );
  return <RouterContext value={router}>{children}</RouterContext>;
}

export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (!router) throw new Error('There is no router around this component.');
  return router;
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string };

/** A link within the portal; modified clicks are left to the browser. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const { navigate } = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(to);
  };
  return <a href={href(to)} onClick={follow} {...rest} />;
}

/** Returns the parts of a path, decoded. */
export function segments(path: string): string[] {
  return path
    .split('/')
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}
