// The header of every page, with the main navigation.

import { serverPath } from '../api/base';
import { words } from '../api/catalogue';
import { signIn, signOut, useSession } from '../api/session';
import { Icon } from '../design/Icon';
import { Popover } from '../design/Popover';
import { chooseLanguage, type Language, language, LANGUAGES, texts } from '../texts';
import { useBranding, useColours } from './branding';
import { useDirectory } from './directory';
import { Link, segments, useRouter } from './router';
import { useCredential, useSignIn } from './signIn';
import { useTheme } from './theme';

interface Entry {
  label: string;
  to: string;
  isHere: boolean;
}

/** How many catalogues stand in the header; where there are more, a menu has them all. */
const MAX_CATALOGUES = 4;

function useEntries(): { catalogues: Entry[]; others: Entry[] } {
  const { path } = useRouter();
  const { data } = useDirectory();
  const [area, second] = segments(path);
  const inCatalogue = ['explore', 'record', 'dictionary', 'compare'].includes(area ?? '');
  const catalogues = Object.keys(data?.catalogs ?? {}).map((id) => ({
    label: words(id),
    to: `/explore/${encodeURIComponent(id)}`,
    isHere: inCatalogue && second === id,
  }));
  const others = [
    { label: texts.shell.sets, to: '/sets', isHere: area === 'sets' },
    { label: texts.shell.manage, to: '/manage', isHere: area === 'manage' },
    { label: texts.shell.learn, to: '/learn', isHere: area === 'learn' },
  ];
  return { catalogues, others };
}

function MenuLinks({ entries, onFollow }: { entries: Entry[]; onFollow: () => void }) {
  return entries.map(({ label, to, isHere }) => (
    <Link key={to} to={to} className="menu-item" aria-current={isHere ? 'page' : undefined} onClick={onFollow}>
      {label}
    </Link>
  ));
}

/** The languages to choose from, each by its own name. */
function Languages() {
  const shown = language();
  return (Object.keys(LANGUAGES) as Language[]).map((code) => (
    <button
      key={code}
      type="button"
      className="menu-item"
      lang={code}
      aria-pressed={code === shown}
      onClick={() => chooseLanguage(code)}
    >
      <span className="grow">{LANGUAGES[code]}</span>
      {code === shown && <Icon name="check" />}
    </button>
  ));
}

/** The person who has signed in, or the button to do so, where people can. */
function Person() {
  const session = useSession();
  if (!session?.signIn) return null;
  if (!session.person) {
    return (
      <button type="button" className="button plain" onClick={signIn}>
        {texts.shell.signIn}
      </button>
    );
  }
  return (
    <Popover label={session.person.name} className="button plain">
      {() => (
        <button type="button" className="button plain" onClick={() => void signOut()}>
          {texts.shell.signOut}
        </button>
      )}
    </Popover>
  );
}

export function Header() {
  const { name, logo } = useBranding();
  const [theme, toggleTheme] = useTheme();
  useColours(theme);
  const { catalogues, others } = useEntries();
  const isCut = catalogues.length > MAX_CATALOGUES + 1;
  const shown = isCut ? catalogues.filter(({ isHere }, index) => index < MAX_CATALOGUES || isHere) : catalogues;
  const openSignIn = useSignIn();
  const hasKey = useCredential() !== '';
  const keyText = hasKey ? texts.shell.keyInUse : texts.shell.enterKey;
  const toOther = theme === 'dark' ? texts.shell.lightColours : texts.shell.darkColours;
  return (
    <header className="site-header">
      <a className="skip" href="#content">
        {texts.shell.skip}
      </a>
      <Link to="/" className="brand">
        {logo ? <img className="brand-logo" src={serverPath(logo)} alt="" /> : <OwnLogo />}
        <span>{name}</span>
      </Link>
      <nav aria-label={texts.shell.navigation} className="site-nav">
        {[...shown, ...others].map(({ label, to, isHere }) => (
          <Link key={to} to={to} aria-current={isHere ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {isCut && (
        <div className="wide-only">
          <Popover
            label={texts.shell.allCatalogues(catalogues.length)}
            className="button plain"
            align="start"
            panelClass="header-menu"
          >
            {(close) => <MenuLinks entries={catalogues} onFollow={close} />}
          </Popover>
        </div>
      )}
      <div className="grow" />
      <button
        type="button"
        className="button plain icon-only"
        aria-label={toOther}
        title={toOther}
        onClick={toggleTheme}
      >
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
      </button>
      <div className="wide-only">
        <Popover label={texts.shell.language} face={<Icon name="globe" />} className="button plain icon-only">
          {() => <Languages />}
        </Popover>
      </div>
      <Person />
      <button type="button" className="button plain" onClick={openSignIn}>
        <Icon name="key" />
        <span className="wide-only">{keyText}</span>
        <span className="narrow-only visually-hidden">{keyText}</span>
      </button>
      <div className="narrow-only">
        <Popover
          label={texts.shell.menu}
          face={<Icon name="menu" />}
          className="button plain icon-only"
          panelClass="header-menu"
        >
          {(close) => (
            <>
              <MenuLinks entries={[...catalogues, ...others]} onFollow={close} />
              <div className="menu-rule" />
              <div role="group" aria-label={texts.shell.language}>
                <Languages />
              </div>
            </>
          )}
        </Popover>
      </div>
    </header>
  );
}

function OwnLogo() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M8 12v8M13.300 8v16M18.600 11v10M24 14v4"
        stroke="var(--on-accent)"
        strokeWidth="2.600"
        strokeLinecap="round"
      />
    </svg>
  );
}
