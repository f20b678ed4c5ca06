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

applyTheme();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
