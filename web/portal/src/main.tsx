import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import './design/tokens.css';
import './design/base.css';
import './design/controls.css';
import './design/panels.css';
import './design/content.css';
import './shell/shell.css';
import { App } from './shell/App';
import { applyTheme } from './shell/theme';
import { language, loadTexts } from './texts';

async function render(): Promise<void> {
  const shown = language();
  await loadTexts(shown);
  document.documentElement.lang = shown;
  const root = document.getElementById('root');
  if (root)
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
}

applyTheme();
void render();
